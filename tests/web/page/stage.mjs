// SPDX-License-Identifier: Apache-2.0
/* What flows through the timeline ask of it. */
import { until } from "./drive.mjs";

/* Pixels of the first track's plot that are of some colour, a part of all. */
export const painted = page => page.evaluate(() => {
	const c = document.querySelector(".tl-plot"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	let n = 0;
	for (let i = 0; i < d.length; i += 4) if (Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 24) n++;
	return n / (d.length / 4);
});
export const range = page => page.locator(".tl-range").inputValue();
export async function ready(page) {
	await page.waitForSelector(".tl-plot");
	await until(page, () => document.querySelectorAll(".tl-entry").length > 0);
}
/* Clicks where something lies; the panel of details then has its name. */
export async function choose(page, x = 0.5, y = 0.01) {
	const box = await page.locator(".tl-over").first().boundingBox();
	for (let dy = 0; dy < 0.6; dy += 0.03) {
		const answered = page.waitForResponse(r => r.url().includes("/api/time/at"), { timeout: 1000 }).catch(() => {});
		await page.mouse.click(box.x + box.width * x, box.y + box.height * Math.min(0.95, y + dy));
		await answered;
		const name = await page.locator(".tl-details h2").innerText({ timeout: 1000 }).catch(() => "");
		if (name && name !== "nothing" && name !== "not there") return name;
	}
	return "";
}
