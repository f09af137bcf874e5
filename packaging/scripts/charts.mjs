/* What the page's own scripts have of these packages. Of Vega only the parts that charts of a report
   need: no maps, trees, forces or clouds of words, which would be a sixth of the script. */
import { transforms } from "vega-dataflow";
import * as encode from "vega-encode";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { parse } from "vega-parser";
import * as data from "vega-transforms";
import { View } from "vega-view";
import * as layout from "vega-view-transforms";

Object.assign(transforms, data, layout, encode);
globalThis.vegaLite = { View, parse, compile, expressionInterpreter };
