export default [
  {
    name: "proffer, minified and compressed",
    path: "packages/proffer/dist/index.js",
    // Loaded lazily, each by the first request that needs it.
    ignore: ["./engine.js", "./limit.js", "./node.js", "./prepare.js", "./toolsets.js"],
    limit: "24 kB",
  },
  {
    name: "proffer/oauth beside proffer/http and jose, minified and compressed",
    path: "packages/proffer/dist/oauth.js",
    ignore: ["jose", "./bearer.js", "./core.js", "./introspection.js", "./metadata.js"],
    limit: "6 kB",
    // As a script, which is the default, it would contain 250 bytes of esbuild's own to load the ignored files.
    modifyEsbuildConfig: (config) => ({ ...config, format: "esm" }),
  },
  {
    name: "proffer/redis beside proffer, minified and compressed",
    path: "packages/proffer/dist/redis.js",
    ignore: ["./core.js"],
    limit: "6.5 kB",
  },
  {
    name: "proffer/bullmq beside proffer, minified and compressed",
    path: "packages/proffer/dist/bullmq.js",
    ignore: ["./core.js"],
    limit: "2.5 kB",
  },
  {
    name: "the page of the inspector, compressed with gzip as it is sent",
    path: ["packages/inspector/dist/page/page.js.gz", "packages/inspector/dist/page/page.css.gz"],
    brotli: false,
    disablePlugins: ["@size-limit/esbuild"],
    limit: "60 kB",
  },
];
