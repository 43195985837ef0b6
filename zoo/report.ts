import { STATUSES } from "./classify.ts";
import type { FileResult } from "./run.ts";

/** The number of reasons that are shown for a case; --json has all of them. */
const MAX_REASONS = 3;

type Table = (heads: string[], rows: (string | number)[][]) => string[];

/** Returns the tables of statuses and figures. */
export function writeTables(results: readonly FileResult[], table: Table): string {
  const ran = results.filter(({ skipped }) => skipped === undefined);
  const counts = ran.map((result) => [labelOf(result), ...countsOf([result])]);
  const total = countsOf(ran);
  const [cases = 0] = total;
  const shares = total.map((count) => `${((100 * count) / Math.max(1, cases)).toFixed(0)} %`);
  const statuses = [...counts, ["Total", ...total], ["Share", ...shares]].map((row) => row.map((cell) => String(cell)));
  const figures = ran.flatMap((result) => {
    const { figures: own } = result;
    if (own === undefined) return [];
    const { tscSeconds, coldToTsc, cpuToTsc, editToCold, memoryToTsc, schemaBytes } = own;
    return [[labelOf(result), tscSeconds, coldToTsc, cpuToTsc, editToCold, memoryToTsc, schemaBytes]];
  });
  const heads = ["", "tsc, seconds", "cold ÷ tsc", "CPU ÷ tsc", "edit ÷ cold", "memory ÷ tsc", "schema bytes"];
  return [
    ...table(["", "cases", ...STATUSES, "real value"], statuses),
    "",
    summaryOf(ran),
    "",
    ...table(heads, figures),
  ].join("\n");
}

/** Returns a line for each case that is not as expected, and for each case file that is wrong. */
export function listFailures(results: readonly FileResult[]): string[] {
  return results.flatMap(({ name, cases, broken }) => {
    const failed = cases.filter(({ expected }) => !expected);
    const lines = failed.map(({ name: of, status, reasons }) => `${name}: ${of}: ${status}: ${listReasons(reasons)}`);
    return broken === undefined ? lines : [...lines, broken];
  });
}

function listReasons(reasons: readonly string[]): string {
  const more = reasons.length > MAX_REASONS ? [`and ${reasons.length - MAX_REASONS} more`] : [];
  return [...reasons.slice(0, MAX_REASONS), ...more].join("\n    ");
}

/** Returns the page that `--write` writes. */
export function writePage(results: readonly FileResult[], table: Table): string {
  const failures = listFailures(results);
  const skipped = results.flatMap(({ name, skipped: reason }) => (reason === undefined ? [] : [`${name}: ${reason}`]));
  const section = (title: string, lines: string[]) =>
    lines.length === 0
      ? ""
      : `\n## ${title}\n\n${lines.map((line) => `- ${line.replaceAll("\n", "\n  ")}`).join("\n")}\n`;
  return `# Results of the types zoo

Written by \`npm run types-zoo -- --write\`. *Cold* is \`proffer check\` without a cache, *tsc* is \`tsc --noEmit\` on the same
module in the same run, and *edit* is a repeated derivation after a change of the module. On a busy machine, the ratio
of CPU times is more reliable than that of the times.

${writeTables(results, table)}
${section("Not as expected", failures)}${section("Skipped", skipped)}`;
}

function labelOf({ packages, name }: FileResult): string {
  return packages.length === 0 ? name : packages.join(", ");
}

function countsOf(results: readonly FileResult[]): number[] {
  const all = results.flatMap(({ cases }) => cases);
  const statuses = STATUSES.map((status) => all.filter((each) => each.status === status).length);
  return [all.length, ...statuses, all.filter(({ isReal }) => isReal).length];
}

/** Says the total in a sentence. A refusal is well only if a function that follows its advice is right. */
function summaryOf(results: readonly FileResult[]): string {
  const [total = 0, ...counts] = countsOf(results);
  const heads = [...STATUSES, "with a value that a package made at run time"];
  return `${heads.map((head, index) => `${counts[index]}/${total} ${head}`).join(", ")}.`;
}
