import { openDatabase } from "./database.ts";
import { defineSalesOrders } from "./sales-orders.ts";

export default defineSalesOrders(openDatabase());
