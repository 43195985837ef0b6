/**
 * The largest result that a call returns at once: its texts, and its structured content, are cut beyond it. A token counts
 * as 4.4 bytes.
 */
export type MaxResult =
  | { readonly tokens: number; readonly bytes?: undefined }
  | { readonly bytes: number; readonly tokens?: undefined };
