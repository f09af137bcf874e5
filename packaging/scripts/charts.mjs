/* What the page's own scripts have of these packages. */
import { View, parse } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";

globalThis.vegaLite = { View, parse, compile, expressionInterpreter };
