import PDFDocument from "pdfkit";
import type { SalesDatabase } from "./database.ts";

const BY_STATUS = `
  select status, count(distinct o.id) as orders, sum(quantity * price_cents) as cents
  from orders o join items i on i.order_id = o.id group by status order by status`;

/** A page with the turnover by status, as a streamed PDF. */
export function salesSummary(database: SalesDatabase): AsyncIterable<Uint8Array> {
  const document = new PDFDocument({ info: { Title: "Sales summary" } });
  document.fontSize(20).text("Sales summary").moveDown();
  document.fontSize(12);
  for (const { status, orders, cents } of database.query(BY_STATUS, [])) {
    document.text(`${status}: ${orders} orders, ${(Number(cents) / 100).toFixed(2)} EUR`);
  }
  document.end();
  return document as unknown as AsyncIterable<Uint8Array>;
}
