/**
 * Lets Node run TypeScript without a build, for tests: `node --import @proffer/cli/register --test tools.test.ts`. Types
 * are removed and not checked.
 * @module
 */
import { register } from "node:module";

process.setSourceMapsEnabled(true);
register("#typescript-hooks", import.meta.url);
