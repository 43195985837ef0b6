import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pageGroups } from "../../scripts/llms.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../packages/proffer/package.json", import.meta.url), "utf8"));

/** The first group is open; the others are shown when a reader opens them. */
const sidebar = pageGroups().map(({ title, pages }, at) => ({
  text: title,
  collapsed: at > 0,
  items: pages
    .filter(({ path }) => path.endsWith(".md"))
    .map(({ name, path }) => ({ text: capitalize(name), link: `/${path.replace(/README\.md$/, "")}` })),
}));

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default {
  title: "Proffer",
  description: "Plain TypeScript functions as a server for the Model Context Protocol",
  srcDir: "pages",
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  // For a site below a path, such as /proffer/.
  base: process.env.SITE_BASE ?? "/",
  vite: { publicDir: "../public" },
  markdown: {
    anchor: { slugify: slugOf },
    // The default themes have less contrast than WCAG asks for.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown) => markdown.core.ruler.push("empty-headers", withoutEmptyHeaders),
  },
  themeConfig: {
    nav: [
      { text: "Start", link: "/docs/start" },
      { text: "All pages", link: "/docs/" },
      { text: version, link: "/CHANGELOG" },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
  },
};

function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes the empty header of a table's first column an ordinary cell: a screen reader would announce a header without a name. */
function withoutEmptyHeaders({ tokens }) {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "th_open" || tokens[at + 1].content !== "") continue;
    token.tag = "td";
    tokens[at + 2].tag = "td";
  }
}

/** The anchor of a heading, as GitHub writes it: links work there and on the site. */
function slugOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
