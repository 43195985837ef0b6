export { type CardRemote, type ServerCardOptions, serverCard } from "./features/card/card.ts";
export type { ServerCard } from "./transports/http/options.ts";
