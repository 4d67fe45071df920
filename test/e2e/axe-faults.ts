import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** What axe finds wrong on the page now: the rule, where, and the element. `tags` names the rules; without them it is all of axe's. */
export async function axeFaults(page: Page, tags?: string[]): Promise<string[]> {
  // Axe's script is half a megabyte, and twice compiled for each look: a page that has it already is not given it again.
  const hasAxe = await page.evaluate(() => 'axe' in window);
  const builder = new AxeBuilder({ page, ...(hasAxe ? { axeSource: ';' } : {}) })
    .setLegacyMode() // for pages without frames: no second page is opened for each result
    .options({ resultTypes: ['violations'] }); // the rest is not described
  if (tags !== undefined) builder.withTags(tags);
  const { violations } = await builder.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`));
}
