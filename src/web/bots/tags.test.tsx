import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (bots: Bot[]) => {
  network = answerFor(aUser('trader'))
    .on('listBots', bots)
    .on('liveStatus', liveOf(bots.map((bot) => asLive(bot))));
  startPage('/');
  await render(<TestPage path="/" search="?tab=bot_control" />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const card = (name: string) => page.getByRole('article', { name, exact: true });
const edit = async (name: string) => {
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Edit Tags', exact: true }).click();
};
const input = () => page.getByRole('dialog', { name: 'Edit Tags' }).getByLabelText('Tags');
const save = () => page.getByRole('dialog', { name: 'Edit Tags' }).getByRole('button', { name: 'Save', exact: true }).click();

test('a card shows its tags, and a filter shows the bots of one', async () => {
  await open([aBot(1, { nickname: 'Owl', tags: ['night', 'scalp'] }), aBot(2, { nickname: 'Lark', tags: ['day'] })]);
  await expect.element(card('Owl').getByText('night', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Tag', exact: true }).click();
  await page.getByRole('option', { name: 'day', exact: true }).click();
  await expect.poll(() => card('Owl').elements()).toHaveLength(0);
  await expect.element(card('Lark')).toBeVisible();
});

test('where no bot has a tag there is no filter', async () => {
  await open([aBot(1, { nickname: 'Owl' })]);
  await expect.element(card('Owl')).toBeVisible();
  expect(page.getByRole('combobox', { name: 'Tag', exact: true }).elements()).toHaveLength(0);
});

test('tags are edited from the menu; a refusal stays in the dialog with what was typed', async () => {
  await open([aBot(1, { nickname: 'Owl', tags: ['night'] })]);
  network.on('setBotTags', problem(409, 'This bot is archived. Bring it back before you change it.'));
  await edit('Owl');
  await input().click();
  await userEvent.keyboard('scalp{Enter}');
  await save();
  await expect.element(page.getByRole('alert').getByText('Failed to save the tags', { exact: false })).toBeVisible();
  const saved = aBot(1, { nickname: 'Owl', tags: ['night', 'scalp'] });
  network.on('setBotTags', saved).on('listBots', [saved]);
  await save();
  await expect.element(card('Owl').getByText('scalp', { exact: true })).toBeVisible();
  expect(network.of('setBotTags').at(-1)?.body).toEqual({ tags: ['night', 'scalp'] });
});

test('tags that are cancelled while they are sent do not go out again', async () => {
  await open([aBot(1, { nickname: 'Owl', tags: ['night'] })]);
  await edit('Owl');
  const lists = network.of('listBots').length;
  await expectNoFurtherTry(network, 'setBotTags', {
    confirm: save,
    cancel: () => page.getByRole('dialog', { name: 'Edit Tags' }).getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The tags of Owl may be saved already: check the list.',
  });
  expect(network.of('listBots').length).toBeGreaterThan(lists);
});
