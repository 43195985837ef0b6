/**
 * Applies a broken edit to a module as `proffer dev` does, and prints its description: in a process of its own, because
 * a test runner writes stack traces in its own way.
 */
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { createCompiler } from "../../cli/src/dev/compiler-worker.ts";
import { openVersions } from "../../cli/src/dev/versions.ts";
import { describeEdit } from "../../cli/src/inspect/edits.ts";

const [, , file = "", text = ""] = process.argv;
const versions = openVersions(file, createCompiler(file));
await versions.next();
appendFileSync(file, text);
const error = await versions.next().catch((reason: unknown) => reason);
versions.clear();
console.log(JSON.stringify(await describeEdit({ how: "broken", error, files: versions.files }, dirname(file))));
