import { expect, test } from '@playwright/test';
import { runSize } from '../support/run-size.ts';
import { axeFaults } from './axe-faults.ts';
import { replayYesterday } from './certified-day.ts';
import { choose, moveTo, signIn } from './people.ts';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const { isNight } = runSize(1);
for (const colorScheme of ['dark', 'light'] as const) {
  // Each theme and each width once; at night every pair of them.
  for (const width of isNight ? [1440, 390] : [colorScheme === 'dark' ? 390 : 1440]) {
    test(`no axe fault on any screen, ${colorScheme}, ${width} px wide; nothing is wider than the window`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const check = async (name: string): Promise<void> => {
        expect(await axeFaults(page, tags), name).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name).toBeLessThanOrEqual(0);
      };
      for (const path of ['/login', '/register', '/verify-email', '/2fa']) {
        await page.goto(path);
        await expect(page.getByRole('button').first()).toBeVisible();
        await check(path);
      }
      await signIn(page, 'admin');
      await expect(page.locator('canvas').first()).toBeVisible();
      await check('Status');
      await moveTo(page, '/?tab=strategy&view=rules&strategy=new');
      await expect(page.getByRole('listitem', { name: 'EMA cross' }).getByText(/trades?$/u)).toBeVisible();
      await check('Rules, where they begin');
      await page.getByRole('button', { name: 'Start from this: EMA cross' }).click();
      await expect(page.getByRole('group', { name: /^1: / })).toBeVisible();
      await page.getByRole('group', { name: /^1: /u }).getByRole('button').first().click();
      // In a window as high as the page: the bar of pending changes lies over the end of the window, and who scrolls reaches what is under it.
      await page.setViewportSize({ width, height: 4000 });
      await check('Rules, the editor');
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) {
        await page.getByRole('button', { name: 'Result', exact: true }).click();
        await expect(page.getByRole('table', { name: 'Figures' })).toBeVisible();
        await check('Rules, the result');
      }
      for (const tab of ['Strategy', 'Bots', 'Backtest', 'Reports', 'Fund', 'Paper Trades', 'Settings']) {
        await page.getByRole('tab', { name: tab }).first().click();
        await page.waitForTimeout(400);
        await check(tab);
      }
      await replayYesterday(page, 'Amber Band');
      await check('Certificates');
      await moveTo(page, '/?tab=backtest&view=what-if');
      await expect(page.getByText('Nothing is chosen to be replayed.')).toBeVisible();
      await check('What-If, where it begins');
      await choose(page, 'Bot', 'Momentum Desk, MACD with trend filter');
      await expect(page.getByRole('table', { name: 'Figures' })).toBeVisible();
      await page.getByRole('slider', { name: 'Stop Loss' }).press('ArrowLeft');
      await expect(page.getByText(/^was -/u)).toBeVisible();
      await check('What-If');
      await moveTo(page, '/?tab=backtest&view=optimization');
      await expect(page.getByRole('textbox', { name: 'Stop Loss (%), from' })).toBeVisible();
      await check('Optimization');
      await moveTo(page, '/?tab=settings');
      await page.getByRole('link', { name: 'Audit Log' }).click();
      await page.locator('.audit-toggle').first().click();
      await expect(page.getByText(/^Log intact/u)).toBeVisible();
      await check('Audit Log');
      await page.getByRole('link', { name: 'Mail', exact: true }).click();
      await expect(page.getByText(/^Of the last 30 days/u)).toBeVisible();
      await check('Mail');
    });
  }
}
