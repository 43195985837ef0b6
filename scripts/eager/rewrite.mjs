import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { Failure } from "../terminal.mjs";

const SERVERS = ["code.mjs", "built.mjs"];

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "build", version: "1.0.0" } },
};

const NOTE = "// Every start of a server calls these: V8 compiles a function in parentheses together with its file.";

/**
 * Puts the functions that a server calls until its first answer in parentheses, in all files of a folder. V8 compiles a
 * function on its first call and skips it before, so it reads the text twice. It takes a function in parentheses for one
 * that is called at once, and compiles it when it reads the file.
 */
export function compileEagerly(folder) {
  const files = new Map();
  for (const server of SERVERS) {
    for (const [url, ends] of Object.entries(calledUntilAnswer(server))) {
      if (url.startsWith(pathToFileURL(join(folder, "/")).href)) files.set(url, [...(files.get(url) ?? []), ...ends]);
    }
  }
  if (files.size === 0) throw new Failure(`The servers of scripts/eager load no file of ${folder}: run npm install.`);
  for (const [url, ends] of files) {
    const file = fileURLToPath(url);
    writeFileSync(file, rewrite(readFileSync(file, "utf8"), new Set(ends)));
  }
}

/** Returns the end offset of each function that was called, by the URL of its file. */
function calledUntilAnswer(server) {
  const { href } = new URL("called.mjs", import.meta.url);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", href, fileURLToPath(new URL(server, import.meta.url))],
    { input: `${JSON.stringify(INITIALIZE)}\n`, env: ownEnvironment(), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Failure(`scripts/eager/${server} did not answer: ${stderr}`);
  }
}

/** The environment without settings for servers: the same sources give the same files. */
function ownEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PROFFER_")));
}

/** Moves the functions to the beginning of the file, because a variable, unlike a function, is undefined before it. */
function rewrite(text, ends) {
  const source = ts.createSourceFile("file.js", text, ts.ScriptTarget.Latest);
  const called = source.statements.filter((one) => ts.isFunctionDeclaration(one) && ends.has(one.end));
  if (called.length === 0) return text;
  const textOf = (one) => text.slice(one.getStart(source), one.end);
  const imports = source.statements.findLast(ts.isImportDeclaration)?.end ?? 0;
  const parts = [text.slice(0, imports), NOTE, ...called.map((one) => `var ${one.name.text} = (${textOf(one)});`)];
  let from = imports;
  for (const one of called) {
    parts.push(text.slice(from, one.getStart(source)).trim());
    from = one.end;
  }
  return `${[...parts, text.slice(from).trim()].filter((part) => part !== "").join("\n")}\n`;
}
