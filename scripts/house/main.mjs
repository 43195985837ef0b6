// npm run house: prints the figures of the tree beside their budgets, and the targets that are not reached yet.
//   --check    prints only faults (figures beyond their budgets, imports, names of features, docs/folders.md), and fails then
//   --list     prints the files and folders behind the figures, too
//   --write    writes docs/folders.md
//   --tighten  lowers the budgets to the figures, with 5 % of room but never below a target, and adds those of new areas
// Whoever needs more raises a budget by hand, in the commit that needs it, whose message gives the reason.
import "../node-version.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { Failure, main, stylesFor } from "../terminal.mjs";
import { wrongImports, wrongNames } from "./directions.mjs";
import { measure } from "./figures.mjs";
import { foldersPage, wrongRows } from "./folders-page.mjs";
import { readSources } from "./sources.mjs";

const budgetsFile = new URL("budgets.json", import.meta.url);
const pageFile = new URL("../../docs/folders.md", import.meta.url);

const LABELS = {
  files: "source files",
  lines: "source lines",
  runTimeFiles: "run-time files",
  runTimeLines: "run-time lines",
  largestFolder: "files of the largest folder",
  stdio: "files of a warm tools/call over stdio",
  http: "… over HTTP, 2026-07-28",
  session: "… over HTTP, a session of 2025-11-25",
  read: "files of a template read",
  question: "files of a question's round on 2026-07-28",
  task: "files of a task from start to result",
  smallFiles: "files of 20 lines or less",
  oneImporter: "files with one importer, %",
  mutualFolders: "folder pairs that import values of each other",
  mutualFoldersWithTypes: "… with types and lazy imports",
  publicNames: "public names of proffer",
  publicNamesOfTools: "public names of the other packages",
  comments: "comment lines of the run-time, %",
  commentsOfTools: "comment lines of the other packages, %",
};

const { bold, red } = stylesFor(process.stdout);
const budgets = JSON.parse(readFileSync(budgetsFile, "utf8"));

await main(async () => {
  const sources = readSources();
  const { figures, areas, lists } = await measure(sources);
  if (process.argv.includes("--write")) writeFileSync(pageFile, foldersPage(sources));
  if (process.argv.includes("--tighten")) tighten(figures, areas);
  const rows = rowsOf(figures, areas);
  if (process.argv.includes("--check"))
    check(rows, [...wrongImports(sources), ...wrongNames(sources), ...wrongPage(sources)]);
  else printAll(rows);
  if (!process.argv.includes("--list")) return;
  for (const [name, list] of Object.entries(lists)) {
    process.stdout.write(`\n${bold(LABELS[name])}\n${list.map((item) => `  ${item}\n`).join("")}`);
  }
});

function check(rows, wrong) {
  const beyond = rows.filter(({ isBeyond }) => isBeyond);
  const list = [
    ...beyond.map(({ label, figure, bound }) => `${label}: ${figure}, but ${bound} in scripts/house/budgets.json`),
    ...wrong,
  ];
  if (list.length > 0) throw new Failure(list.join("\n"));
}

function wrongPage(sources) {
  const faults = wrongRows(sources);
  if (readFileSync(pageFile, "utf8") === foldersPage(sources)) return faults;
  return [...faults, "docs/folders.md is not up to date: npm run house -- --write"];
}

function rowsOf(figures, areas) {
  const whole = Object.entries(LABELS).map(([name, label]) => rowOf(label, figures[name], budgets.figures[name]));
  const parts = Object.entries(areas).map(([area, lines]) => {
    const most = budgets.areas[area];
    return rowOf(`lines of ${area}`, lines, most === undefined ? {} : { most });
  });
  return [...whole, ...parts];
}

function rowOf(label, figure, { most = Number.POSITIVE_INFINITY, least, target }) {
  if (least !== undefined) return { label, figure, bound: `≥ ${least}`, isBeyond: figure < least };
  return {
    label,
    figure,
    bound: most === Number.POSITIVE_INFINITY ? "" : `≤ ${most}`,
    target,
    isBeyond: figure > most,
  };
}

function printAll(rows) {
  const lines = rows.map(({ label, figure, bound, target = "", isBeyond }) => {
    const gap = figure > target && target !== "" ? `${target} !` : `${target}  `;
    return (isBeyond ? red : String)(line(label, figure, bound, gap));
  });
  process.stdout.write(bold(line("", "now", "budget", "target")) + lines.join(""));
}

function line(label, ...cells) {
  return `${label.padEnd(48)}${cells.map((cell) => String(cell).padStart(10)).join("")}`.trimEnd().concat("\n");
}

function tighten(figures, areas) {
  for (const [name, budget] of Object.entries(budgets.figures)) {
    if (budget.most !== undefined) budget.most = Math.min(budget.most, withRoom(figures[name], budget.target));
  }
  const lowered = Object.entries(areas).map(([area, lines]) => {
    return [area, Math.min(budgets.areas[area] ?? Number.POSITIVE_INFINITY, withRoom(lines))];
  });
  budgets.areas = Object.fromEntries(lowered);
  writeFileSync(budgetsFile, `${JSON.stringify(budgets, null, 2)}\n`);
}

function withRoom(figure, target = 0) {
  return Math.max(Math.floor(figure * 1.05), target);
}
