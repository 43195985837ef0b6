import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { openDatabase } from "./database.ts";
import { defineDemo } from "./demo.ts";
import { defineSalesOrders } from "./sales-orders.ts";
import { defineSessionDemo } from "./session-demo.ts";

/** Serves all three servers on one port. A path is an area and a name, as in the ABAP server SDK. */
export function serveHost(options: ServeOptions = {}): Promise<HttpService> {
  return serveHttp(
    {
      "/sales/orders": defineSalesOrders(openDatabase()),
      "/demo/stateless": defineDemo(),
      "/demo/session": defineSessionDemo(),
    },
    options,
  );
}
