import type { AxeResults } from 'axe-core';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from './session/theme-store.ts';
import type { Answerer } from './testing/answerer.ts';
import { problem } from './testing/answerer.ts';
import { aUser } from './testing/samples.ts';
import { answerFor, startPage, TestPage } from './testing/test-page.tsx';

let network: Answerer;
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const findings = async () => {
  const { violations }: AxeResults = await axe.run(document.body, { runOnly: tags });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
};

describe.each(['dark', 'light'] as const)('in the %s look', (theme) => {
  const open = async (path: string, answers: (network: Answerer) => Answerer = (same) => same) => {
    network = answers(answerFor(aUser('admin')));
    startPage(path);
    localStorage.setItem('theme', theme);
    applyTheme();
    return render(<TestPage path={path} />);
  };

  test.each(['/login', '/register', '/verify-email', '/2fa', '/reset-password'])(
    '%s has no findings, with a message shown',
    async (path) => {
      await open(path, (net) => net.on('getMe', problem(403)));
      await page
        .getByRole('button')
        .filter({ hasNotText: /forgot|show|resend/iu })
        .last()
        .click();
      expect(await findings()).toEqual([]);
    },
  );

  test('the status tab has no findings', async () => {
    await open('/');
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
    await expect.element(page.getByRole('table', { name: 'Order Log' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the bots tab, its dialogs and toasts have no findings', async () => {
    await open('/');
    await page.getByRole('tab', { name: 'Bots' }).click();
    await page.getByRole('button', { name: 'Switch to Live' }).click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('changeBotMode', problem(409, 'Bot has open trades'));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.element(page.getByText('Failed to change bot mode: Bot has open trades')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the account settings have no findings', async () => {
    await open('/');
    await page.getByTitle('Your Account Settings').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change Password' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Change Password' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });
});
