import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { openDatabase } from "./database.ts";
import { defineDemo } from "./demo.ts";
import { defineSalesOrders } from "./sales-orders.ts";
import { defineSessionDemo } from "./session-demo.ts";

/** Serves all three on one port, each at its path: an area and a name, as the ABAP server SDK has them. */
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
