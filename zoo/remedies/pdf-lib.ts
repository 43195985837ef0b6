import { PDFDocument } from "pdf-lib";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const pdf = defineCodec<PDFDocument, { pages: number }>({
  decode: () => {
    throw new Error("A document cannot be sent.");
  },
  encode: (document) => ({ pages: document.getPageCount() }),
});

/** Opens a document. */
export async function open(_file: Uint8Array): Promise<PDFDocument> {
  const document = await PDFDocument.create();
  document.addPage();
  return document;
}
gives(open, [new Uint8Array([1])], { pages: 1 });
