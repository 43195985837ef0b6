import type { Page } from "playwright-core";
import { overrideOptions } from "proffer/derived";
import { afterAll } from "vitest";
import { createTrace } from "../../src/inspector/calls/trace.ts";
import { openServerLinks } from "../../src/inspector/connections/opener.ts";
import { type Inspector, startInspector } from "../../src/inspector/inspector.ts";
import type { SourceView } from "../../src/inspector/protocol/api.ts";
import type { Pages } from "./browser.ts";
import { createFormShop, type FormShop } from "./form-shop.ts";

export interface ShopPage {
  readonly page: Page;
  readonly shop: FormShop;
  readonly inspector: Inspector;
  /** The requests of the page to Node, by name. */
  readonly sent: { readonly name: string; readonly body: Record<string, unknown> }[];
}

export interface ShopPageOptions {
  /** Makes the tab of the source possible. */
  readonly source?: SourceView;
}

/** Opens pages of real inspectors of the shop; each has a shop of its own. */
export function useShopPages(pages: Pages): (path: string, options?: ShopPageOptions) => Promise<ShopPage> {
  const started: Inspector[] = [];
  // After the pages are closed: a stream that ends is an error in their consoles.
  afterAll(() => Promise.all(started.map((inspector) => inspector.close())));
  return async (path, { source } = {}) => {
    const shop = createFormShop();
    const { tracing, source: trace } = createTrace();
    overrideOptions(shop.server, { trace: tracing.trace });
    const inspector = await startInspector({
      target: { kind: "module", name: "form-shop.ts" },
      abilities: { source: source !== undefined, calls: true, keepsHistory: false, saves: false },
      opener: openServerLinks(shop.server),
      trace,
      port: 0,
      // What other parts answer, and these tests do not look at.
      handlers: () => ({
        history: () => ({ entries: [] }),
        doctor: () => ({ findings: [] }),
        copy: () => ({ text: "", language: "text" }),
        open: () => ({}),
        ...(source !== undefined && { source: () => source }),
      }),
    });
    started.push(inspector);
    await inspector.started;
    const { origin, hash } = new URL(inspector.url);
    const page = await pages.open(`${origin}${path}${hash}`);
    const sent: ShopPage["sent"] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/api/")) return;
      sent.push({ name: pathname.slice("/api/".length), body: request.postDataJSON() ?? {} });
    });
    await page.getByRole("tab", { name: "Result" }).waitFor();
    return { page, shop, inspector, sent };
  };
}
