import { expect, test } from 'vitest';
import type { Command } from './command-list.ts';
import { foundCommands } from './command-list.ts';

const command = (label: string, group: Command['group'] = 'Bots', hint?: string): Command => ({
  id: `${group} ${label} ${hint ?? ''}`,
  group,
  label,
  ...(hint === undefined ? {} : { hint }),
  run: () => {},
});
const commands = [
  command('Status', 'Screens'),
  command('Old Breakout'),
  command('Breakout Desk'),
  command('Outbreak'),
  command('BTC/USDT', 'Pairs', 'Breakout Desk'),
  command('Log Out', 'Actions'),
];
const labels = (text: string) => foundCommands(commands, text).map(({ label }) => label);

test('what begins with the text comes first, then a word that does, then the rest', () => {
  expect(labels('break')).toEqual(['Breakout Desk', 'Old Breakout', 'Outbreak', 'BTC/USDT']);
  expect(labels(' BREAK ')).toEqual(labels('break'));
});

test('each word must be found, in the label or the hint', () => {
  expect(labels('btc desk')).toEqual(['BTC/USDT']);
  expect(labels('btc nowhere')).toEqual([]);
  expect(labels('usdt')).toEqual(['BTC/USDT']);
});

test('without a text there are no pairs, and never more than fourteen', () => {
  expect(labels('')).toEqual(['Status', 'Old Breakout', 'Breakout Desk', 'Outbreak', 'Log Out']);
  expect(
    foundCommands(
      Array.from({ length: 50 }, (_, i) => command(`Bot ${i}`)),
      'bot',
    ),
  ).toHaveLength(14);
});
