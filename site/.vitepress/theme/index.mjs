import { useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "./style.css";

/** Links a page to its Markdown, for models and for people who copy it. */
const MarkdownLink = {
  setup() {
    const { page } = useData();
    return () =>
      h("p", h("a", { href: withBase(`/${page.value.relativePath}`), target: "_self" }, "This page as Markdown"));
  },
};

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-footer-before": () => h(MarkdownLink) }),
};
