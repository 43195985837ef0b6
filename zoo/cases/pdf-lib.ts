import { PageSizes, PDFDocument, type PDFPage } from "pdf-lib";
import { gives, refused } from "../expect.ts";

/** Measures a document. */
export async function measure(
  pages: number,
): Promise<{ size: ReturnType<PDFPage["getSize"]>; title?: string; created?: Date }[]> {
  const document = await PDFDocument.create();
  document.setTitle("A");
  document.setCreationDate(new Date(0));
  for (let index = 0; index < pages; index++) document.addPage(PageSizes.A4);
  const [title, created] = [document.getTitle(), document.getCreationDate()];
  return document.getPages().map((page) => ({ size: page.getSize(), title, created }));
}
gives(measure, [1], [{ size: { width: 595.28, height: 841.89 }, title: "A", created: "1970-01-01T00:00:00.000Z" }]);

/** Merges documents. */
export async function merge(files: Uint8Array[]): Promise<{ pages: number; bytes: Uint8Array }> {
  const document = await PDFDocument.create();
  for (const file of files) await document.embedPdf(file);
  return { pages: document.getPageCount(), bytes: (await document.save()).slice(0, 5) };
}
gives(merge, [[]], { pages: 0, bytes: "JVBERi0=" });

/** Opens a document. */
export async function open(file: Uint8Array): Promise<PDFDocument> {
  return PDFDocument.load(file);
}
refused(open, "PF1102", "PF1105");
