// SPDX-License-Identifier: Apache-2.0
/* One Chromium for all files of flows: prints where it is reached, and ends with its input. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { CHROMIUM } from "./drive.mjs";

const { chromium } = createRequire(join(process.env.WEFT_NODE_MODULES, "need.js"))("playwright-core");
const server = await chromium.launchServer({ host: "127.0.0.1", executablePath: process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM });
console.log(server.wsEndpoint());
process.stdin.on("end", async () => { await server.close(); process.exit(0); }).resume();
