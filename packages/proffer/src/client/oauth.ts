export { LoginError } from "../login/discover.ts";
export { Login } from "../login/login.ts";
export { receiveOnLoopback } from "../login/loopback.ts";
export {
  type ClientIdentity,
  type CredentialStore,
  type Credentials,
  type LoginOptions,
  MemoryStore,
  type Redirect,
} from "../login/options.ts";
export type { Reach } from "../outgoing/options.ts";
