/* Makes three files in FOLDER: charts.js, one script of all that charts.mjs imports; LICENCES.txt,
   those of the packages in it; and packages.json, the list of these for the bill of materials.

       node bundle.mjs FOLDER */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [folder] = process.argv.slice(2);
const { metafile, outputFiles: [script] } = await build({
  entryPoints: ["charts.mjs"], bundle: true, minify: true, format: "iife", platform: "browser",
  target: "es2022", charset: "utf8", legalComments: "none", metafile: true, write: false,
  outfile: "charts.js",
  /* Vega-Lite imports four functions of the whole of Vega, which are in this part of it. */
  alias: { vega: "vega-util" },
});

const [{ inputs }] = Object.values(metafile.outputs);
const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput)
  .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean);
const names = [...new Set(used)].sort();

const texts = new Map();
const packages = names.map((name) => {
  const place = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const file = readdirSync(place).find((each) => /^licen[cs]e/i.test(each));
  if (!license || !file) throw new Error(`${name} ${version} does not state its licence`);
  const text = readFileSync(join(place, file), "utf8").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`]);
  return { name, version, licence: license };
});
const licences = [...texts].map(([text, titles]) => `${titles.join(", ")}:\n\n${text}\n`)
  .join(`\n${"-".repeat(80)}\n\n`);

mkdirSync(folder, { recursive: true });
/* The licences are in the script as well: every page has a copy of it. */
writeFileSync(join(folder, "charts.js"), `/*\n${licences.replaceAll("*/", "* /")}*/\n${script.text}`);
writeFileSync(join(folder, "LICENCES.txt"), licences);
writeFileSync(join(folder, "packages.json"), `${JSON.stringify(packages, null, 1)}\n`);
