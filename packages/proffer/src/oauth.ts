export type { OAuthPrincipal } from "./oauth/claims.ts";
export { oauth } from "./oauth/oauth.ts";
export type {
  CacheOptions,
  Claims,
  IntrospectionOptions,
  IssuerOptions,
  OAuthOptions,
  PrincipalDetails,
} from "./oauth/options.ts";
