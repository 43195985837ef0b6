import { distFile } from "../../proffer/test/dist.ts";
import { describeFlags, useShop } from "./toolsets-cases.ts";

const shop = useShop();

describeFlags("proffer serve", shop, (module) => [distFile("bin.js"), "serve", shop.project.path(`${module}.ts`)]);
