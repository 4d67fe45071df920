import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { choose, moveTo } from './people.ts';

/** Opens the certificate of a bot's last whole day, and has the day replayed where the night has not done it yet. */
export async function replayYesterday(page: Page, nickname: string): Promise<string> {
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await moveTo(page, `/?tab=reports&view=certificates&day=${day}`);
  await choose(page, 'Bot', nickname);
  await page.getByLabel('Date', { exact: true }).fill(day);
  const [head, replay] = [page.getByRole('region', { name: 'Certificate' }), page.getByRole('button', { name: 'Replay This Day' })];
  // Somebody else may have begun the replay: the button is busy then, and gone with the certificate.
  await expect(async () => {
    await expect(head.or(replay).first()).toBeVisible();
    if (!(await head.isVisible())) await replay.click({ timeout: 2_000 });
    await expect(head).toBeVisible();
  }).toPass();
  return day;
}
