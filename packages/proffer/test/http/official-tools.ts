import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The official tools that need a newer Node than Proffer, and that version of Node. */
export interface OfficialTools {
  run(tool: "conformance" | "inspector", ...args: string[]): Promise<{ code: number | null; output: string }>;
}

const NODE = "22.23.3";
const TOOLS = {
  conformance: { version: "0.2.0-alpha.12", file: "dist/index.js" },
  inspector: { version: "2.12.0", file: "clients/launcher/build/index.js" },
} as const;

const folder = fileURLToPath(new URL("../../../../node_modules/.cache/official-tools", import.meta.url));
const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** Downloads the tools once and caches them. Returns the reason if they cannot run here. */
export function findOfficialTools(): OfficialTools | string {
  const node = findNode();
  const missing = Object.entries(TOOLS).some(([name, { file }]) => !existsSync(pathOf(name, file)));
  if (missing || node === undefined) {
    const problem = install();
    if (problem !== undefined) return problem;
  }
  const found = node ?? findNode();
  if (found === undefined) return `there is no Node 22 for ${process.platform} ${process.arch} on npm`;
  return { run: (tool, ...args) => run(found, pathOf(tool, TOOLS[tool].file), args) };
}

function findNode(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  const file = process.platform === "win32" ? "node.exe" : "node";
  const path = join(folder, "node_modules", nodePackage, "bin", file);
  return spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${NODE}` ? path : undefined;
}

function install(): string | undefined {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const packages = [
    ...Object.entries(TOOLS).map(([name, { version }]) => `@modelcontextprotocol/${name}@${version}`),
    ...(findNode() === process.execPath ? [] : [`${nodePackage}@${NODE}`]),
  ];
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--force"];
  const { status, stderr } = spawnSync("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  return status === 0 ? undefined : `npm could not install ${packages.join(", ")}: ${stderr.slice(-500)}`;
}

function pathOf(tool: string, file: string): string {
  return join(folder, "node_modules/@modelcontextprotocol", tool, file);
}

function run(node: string, script: string, args: readonly string[]) {
  const child = spawn(node, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
