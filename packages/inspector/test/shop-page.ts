import type { Page } from "playwright-core";
import { afterAll } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { traceServer } from "../../cli/src/inspect/trace.ts";
import type { WireRecord } from "../../cli/src/recordings/record.ts";
import { type Inspector, startInspector } from "../src/inspector.ts";
import type { SourceView } from "../src/protocol/api.ts";
import type { Pages } from "./browser.ts";
import { createFormShop, type FormShop } from "./form-shop.ts";
import { createTestHost } from "./test-host.ts";

export interface ShopPage {
  readonly page: Page;
  readonly shop: FormShop;
  /** The address of the page, with its secret. */
  readonly url: string;
  readonly record: WireRecord;
  /** The requests of the page to Node, by name. */
  readonly sent: { readonly name: string; readonly body: Record<string, unknown> }[];
}

export interface ShopPageOptions {
  /** Makes the tab of the source possible. */
  readonly source?: SourceView;
}

/** Opens pages of real inspectors of the shop; each has another shop. */
export function useShopPages(pages: Pages): (path: string, options?: ShopPageOptions) => Promise<ShopPage> {
  const started: Inspector[] = [];
  // After the pages are closed: a stream that ends is an error in their consoles.
  afterAll(() => Promise.all(started.map((inspector) => inspector.close())));
  return async (path, { source } = {}) => {
    const shop = createFormShop();
    const host = createTestHost({
      target: { kind: "module", name: "form-shop.ts" },
      links: linkServer(shop.server),
      trace: traceServer(shop.server),
      findProblems: async () => [],
      ...(source !== undefined && {
        code: { files: () => [], placeOf: () => undefined, view: () => source, open: async () => {} },
      }),
    });
    const inspector = await startInspector(host, 0);
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
    return { page, shop, url: inspector.url, record: host.record, sent };
  };
}
