import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { noteAnswer, noteFailure } from '../../api/connection.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { Problem, problem } from '../../testing/answerer.ts';
import { holdMoments, pass } from '../../testing/held-time.ts';
import { button, says } from '../../testing/on-page.ts';
import { aBot } from '../../testing/samples/bots.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aHistory, aRuleStrategy, aUsingBot, someRules } from '../../testing/samples/rules.ts';
import { aStrategy } from '../../testing/samples/strategies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { draftsStore } from './drafts/drafts-store.ts';
import { textOfDocument } from './edit/document-text.ts';
import { choiceStore } from './replay/market-choice.ts';

type Rules = CallReply<'listRules'>['rules'];

let network: Answerer;

const address = '?tab=strategy&view=rules';
const open = async (rules: Rules | Problem, role: Role = 'trader', search = '') => {
  network = answerFor(aUser(role)).on('listRules', rules instanceof Problem ? rules : { rules });
  startPage('/');
  choiceStore.setState(choiceStore.getInitialState());
  await render(<TestPage path="/" search={`${address}${search}`} />);
};
/** What a reload of the page leaves: what the browser keeps. */
const reload = async () => {
  await cleanup();
  draftsStore.setState(draftsStore.getInitialState());
  await render(<TestPage path="/" search={address} />);
};
const line = (name: RegExp) => page.getByRole('group', { name });
const edits = () => page.getByRole('region', { name: 'Pending changes' });
const figures = () => page.getByRole('table', { name: 'Figures' });
const typePeriod = async (value: string) => {
  await line(/^3: /u).getByRole('button', { name: 'RSI 14' }).click();
  await page.getByRole('textbox', { name: 'Period' }).fill(value);
};

beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => draftsStore.setState(draftsStore.getInitialState()));
afterEach(async () => {
  await cleanup();
  network.stop();
});

describe('where rules begin', () => {
  test('the first sub-tab is Configuration, and Rules is beside it', async () => {
    await open([]);
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await says('No strategies yet');
    await page.getByRole('tab', { name: 'Rules' }).click();
    await says('No rules of your own yet');
  });

  test('rules that cannot be loaded say so and are tried again', async () => {
    await open(problem(403, 'Not now'));
    await says('The rules could not be loaded.');
    network.on('listRules', { rules: [] });
    await button('Retry').click();
    await says('No rules of your own yet');
  });

  test('each template is described in words, with when it loses and what its days came to on a real market', async () => {
    await open([]);
    const card = page.getByRole('listitem', { name: 'EMA cross' });
    await expect.element(card.getByText(/^Enter long when EMA 12 crosses above EMA 26/u)).toBeVisible();
    await expect.element(card.getByText(/^It loses in sideways markets/u)).toBeVisible();
    await expect.element(card.getByText('BTC/USDT, 90 days of 5m')).toBeVisible();
    await expect.element(card.getByText(/^[+-]\$\d+\.\d\d \d+ trades?$/u)).toBeVisible();
    await expect.element(page.getByText(/None is a promise of profit: \d+ of \d+ lost money/u)).toBeVisible();
    // one after the other, the one of most candles last
    await expect.poll(() => network.of('candleHistory').map(({ query }) => query['timeframe'])).toEqual(['1h', '15m', '5m', '1m']);
  });

  test('templates are chosen by kind, and shown side by side', async () => {
    await open([]);
    await page.getByRole('button', { name: /^breakout/u }).click();
    expect(page.getByRole('listitem', { name: 'Donchian breakout' }).elements()).toHaveLength(1);
    expect(page.getByRole('listitem', { name: 'EMA cross' }).elements()).toHaveLength(0);
    await button('Show them side by side').click();
    await expect.element(page.getByRole('table', { name: 'Templates side by side' }).getByText('Donchian breakout')).toBeVisible();
  });

  test('candles that cannot be had are said at the template', async () => {
    network = answerFor(aUser('trader')).on('candleHistory', problem(404, 'Trading pair not found'));
    startPage('/');
    choiceStore.setState(choiceStore.getInitialState());
    await render(<TestPage path="/" search={address} />);
    await expect.element(page.getByRole('listitem', { name: 'EMA cross' }).getByText('Trading pair not found')).toBeVisible();
  });

  test('a template becomes a draft, which is saved for its maker alone', async () => {
    holdMoments(2000);
    await open([]);
    await button('Start from this: EMA cross').click();
    await expect.element(page.getByText('not saved yet').first()).toBeVisible();
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
    network.on('makeRules', aRuleStrategy(1, { name: 'EMA cross', version: 1, document: emaCross }));
    await edits().getByRole('button', { name: 'Save', exact: true }).click();
    await says('EMA cross is saved, for you alone');
    expect(network.of('makeRules')[0]?.body).toEqual({ document: emaCross });
    await expect.element(page.getByText(/^version 1 of/u)).toBeVisible();
    expect(edits().elements()).toEqual([]);
  });

  test('what somebody shares is copied, under a name of its own', async () => {
    const shared = aRuleStrategy(2, {
      name: 'Turtle',
      is_own: false,
      is_shared: true,
      owner: { id: idOf(9), email: 'other@flotilla.example' },
    });
    await open([shared]);
    await button('Make a copy of Turtle').click();
    await expect.element(page.getByRole('heading', { name: 'Dips in a rise', level: 1 })).toBeVisible();
    await expect.element(page.getByText('not saved yet').first()).toBeVisible();
  });

  test('a pasted text that is not of rules says so and stays, and rules open as a draft', async () => {
    await open([aRuleStrategy(1)]);
    await button('Paste as text').click();
    const dialog = page.getByRole('dialog', { name: 'Paste as Text' });
    await dialog.getByRole('textbox').fill('hello');
    await dialog.getByRole('button', { name: 'Open as a Draft' }).click();
    await says('This is not the text of rules. Take it with "Copy as text", whole.');
    await expect.element(dialog.getByRole('textbox')).toHaveValue('hello');
    await dialog.getByRole('textbox').fill(textOfDocument(someRules));
    await dialog.getByRole('button', { name: 'Open as a Draft' }).click();
    await expect.element(page.getByRole('heading', { name: 'Dips in a rise (2)', level: 1 })).toBeVisible();
  });

  test.each(['operator', 'investor'] as const)('an %s makes no rules', async (role) => {
    await open([], role);
    await says('No rules to show');
    expect(page.getByRole('button', { name: /Start|Paste/u }).elements()).toEqual([]);
  });
});

describe('reading', () => {
  test.each(['operator', 'investor'] as const)('an %s sees shared rules with their backtest, and changes nothing', async (role) => {
    const shared = aRuleStrategy(1, { is_own: false, is_shared: true, owner: { id: idOf(9), email: 'other@flotilla.example' } });
    await open([shared], role);
    await expect.element(page.getByRole('heading', { name: 'Dips in a rise', level: 1 })).toBeVisible();
    await expect
      .element(
        page
          .getByText(/Enter long when RSI 14 is below/u)
          .or(page.getByText('Enter long', { exact: true }))
          .first(),
      )
      .toBeVisible();
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
    await expect.element(line(/^1: RSI 14/u)).toBeVisible();
    expect(page.getByRole('switch', { name: /is on$/u }).elements()).toEqual([]);
    expect(page.getByRole('button', { name: /^(Condition|Group|Mirror|Use for a bot|Make a copy|Undo)/u }).elements()).toEqual([]);
  });

  test('a trader copies what others share and cannot change it', async () => {
    const shared = aRuleStrategy(1, { is_own: false, is_shared: true, owner: { id: idOf(9), email: 'other@flotilla.example' } });
    await open([aRuleStrategy(2, { name: 'Mine' }), shared], 'trader', `&strategy=${shared.id}`);
    await expect.element(page.getByText(/by other@flotilla\.example/u)).toBeVisible();
    expect(page.getByRole('switch', { name: /is on$/u }).elements()).toEqual([]);
    await button('Make a copy').click();
    await expect.element(page.getByText('not saved yet').first()).toBeVisible();
    await expect.element(line(/^1: RSI 14/u).getByRole('switch')).toBeEnabled();
  });

  test('an admin may change the rules of a trader', async () => {
    await open(
      [aRuleStrategy(1, { is_own: false, owner: { id: idOf(9), email: 'other@flotilla.example' } })],
      'admin',
      `&strategy=${idOf(701)}`,
    );
    await says('Of others');
    await expect.element(line(/^1: RSI 14/u).getByRole('switch')).toBeEnabled();
  });

  test('rules that another version of the program has written say so', async () => {
    await open([aRuleStrategy(1, { document: null })]);
    await says('These rules cannot be read');
  });

  test('many rules are a list', async () => {
    await open(Array.from({ length: 150 }, (_, i) => aRuleStrategy(i, { name: `Rules ${i}` })));
    await expect.element(page.getByRole('navigation', { name: 'Rules' }).getByText('Rules 149')).toBeInTheDocument();
    await expect.element(page.getByText('150', { exact: true })).toBeVisible();
  });
});

describe('editing', () => {
  test('a number changes words, list, save bar and figures, and is saved as the next version', async () => {
    holdMoments(2000);
    await open([aRuleStrategy(1)]);
    await expect.element(figures().getByText('Version 3')).toBeVisible();
    await typePeriod('9');
    await says('draft of version 4');
    await expect.element(page.getByText('was RSI 14')).toBeVisible();
    await expect.element(edits().getByText('RSI 9')).toHaveLength(2);
    await expect.element(page.getByRole('mark').or(page.getByText('9').first()).first()).toBeVisible();
    await expect.element(page.getByText('version 3, 1 change')).toBeVisible();
    await expect.element(figures().getByText('Difference')).toBeVisible();
    await expect.element(page.getByText(/\d+ ms in this browser$/u)).toBeVisible();
    const next: RulesDocument = {
      ...someRules,
      exitLong: [{ tag: 'hot', when: { ...someRules.exitLong[0].when, left: rsi(9) } as never }],
    };
    network.on('saveRules', aRuleStrategy(1, { version: 4, document: next }));
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await says('Saved as version 4');
    expect(network.of('saveRules')[0]?.body).toEqual({ document: next, based_on: 3 });
    expect(edits().elements()).toEqual([]);
    await expect.element(page.getByText(/^version 4 of/u)).toBeVisible();
  });

  test('what is not saved survives a reload and another tab, and discard brings the saved version back', async () => {
    await open([aRuleStrategy(1)]);
    await typePeriod('9');
    await says('draft of version 4');
    await reload();
    await says('draft of version 4');
    await expect.element(line(/^3: RSI 9 is above 68/u)).toBeVisible();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('tab', { name: 'Rules' }).click();
    await says('draft of version 4');
    await edits().getByRole('button', { name: 'Discard' }).click();
    await expect.element(line(/^3: RSI 14 is above 68/u)).toBeVisible();
    await reload();
    await expect.element(line(/^3: RSI 14 is above 68/u)).toBeVisible();
    expect(edits().elements()).toEqual([]);
  });

  test('when somebody saved meanwhile nothing is lost: the person says which continues', async () => {
    await open([aRuleStrategy(1)]);
    await typePeriod('9');
    const theirs = aRuleStrategy(1, { version: 4, document: { ...someRules, losesWhen: 'Theirs.' } });
    network.on('saveRules', problem(409, 'Changed meanwhile.')).on('listRules', { rules: [theirs] });
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await says('Version 4 was saved meanwhile.');
    expect(edits().getByText('Changed meanwhile.').elements()).toEqual([]);
    await expect.element(line(/^3: RSI 9 is above 68/u)).toBeVisible();
    await edits().getByRole('button', { name: 'Save as version 5' }).click();
    await expect.element(page.getByText('Say first what becomes of your draft.')).toBeVisible();
    expect(network.of('saveRules')).toHaveLength(1);
    await button('Keep my draft').click();
    await expect.element(edits().getByText('When it loses')).toBeVisible(); // against theirs now
    network.on('saveRules', aRuleStrategy(1, { version: 5 }));
    await edits().getByRole('button', { name: 'Save as version 5' }).click();
    await expect.poll(() => network.of('saveRules')[1]?.body).toMatchObject({ based_on: 4 });
  });

  test('the version of somebody else can be taken in place of the draft', async () => {
    await open([aRuleStrategy(1)]);
    await typePeriod('9');
    network.on('saveRules', problem(409, 'Changed meanwhile.')).on('listRules', { rules: [aRuleStrategy(1, { version: 4 })] });
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await button('Discard my draft').click();
    await expect.element(line(/^3: RSI 14 is above 68/u)).toBeVisible();
    expect(edits().elements()).toEqual([]);
  });

  test('a failed save says why and keeps everything', async () => {
    await open([aRuleStrategy(1)]);
    await typePeriod('9');
    network.on('saveRules', problem(400, 'The rules have faults'));
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await expect.element(edits().getByText('The rules have faults')).toBeVisible();
    await expect.element(line(/^3: RSI 9 is above 68/u)).toBeVisible();
  });

  test('a fault stands at the piece it is about, and keeps the draft from being replayed and saved', async () => {
    await open([aRuleStrategy(1)]);
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
    await page.getByRole('textbox', { name: 'Value of low' }).fill('50');
    await says('The value of low, 50, is not on a step of its range from 20 to 45.');
    await says('The draft has a fault: it is replayed again once that is mended.');
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await expect.element(edits().getByText(/There is a fault to mend first/u)).toBeVisible();
    expect(network.of('saveRules')).toEqual([]);
    await page.getByRole('textbox', { name: 'Value of low' }).fill('40');
    await expect.element(page.getByText('The draft has a fault: it is replayed again once that is mended.')).not.toBeInTheDocument();
  });

  test('a fault of all of it together is said where the result would be, also on a phone, and where it is not saved', async () => {
    const why =
      'It takes \\d+ million steps of arithmetic at each candle; the most are 50 million\\. Shorter periods, or fewer indicators, take less\\.';
    const result = (before: string, after = '') =>
      page.getByRole('status').filter({ hasText: new RegExp(`^${before} ${why}${after}$`, 'u') });
    const bands = [1, 2, 3, 4, 5, 6, 7].map((deviations) =>
      compare(indicator('bollinger', { period: 4_900, deviations }, 'upper'), 'above', price('close')),
    );
    await open([aRuleStrategy(1, { document: { ...someRules, exitLong: [{ tag: 'hot', when: { kind: 'any', rules: bands } }] } })]);
    await expect.element(result('Version 3 is not replayed\\.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Value of low' }).fill('40');
    const draft = result('The draft is not replayed\\.');
    await expect.element(draft).toBeVisible();
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await expect.element(edits().getByText(new RegExp(`^These rules are not saved\\. ${why}$`, 'u'))).toBeVisible();
    expect(network.of('saveRules')).toEqual([]);
    await page.viewport(390, 844);
    try {
      await button('Result').click();
      await expect.element(draft).toBeVisible();
    } finally {
      await page.viewport(1440, 1000);
    }
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('');
    await expect.element(result('The draft is not replayed\\.', ' One more fault is marked where it is\\.')).toBeVisible();
  });

  test('conditions are added, grouped, switched, moved, copied and removed', async () => {
    await open([aRuleStrategy(1)]);
    await button('Condition to enter long: dip').click();
    await expect.element(line(/^3: close is above 0/u)).toBeVisible();
    await line(/^3: close/u)
      .getByRole('button', { name: 'is above' })
      .click();
    await button('Into a group').click();
    await expect.element(line(/^3: any of 1 condition/u)).toBeVisible();
    await expect.element(line(/^3a: close is above 0/u)).toBeVisible();
    await line(/^3a: close/u)
      .getByRole('button', { name: 'Close' })
      .click();
    await page.getByRole('group', { name: 'Fields of 3a' }).getByRole('button', { name: 'Copy' }).click();
    await expect.element(line(/^3b: close is above 0/u)).toBeVisible();
    await line(/^3b: /u).getByRole('button', { name: 'Close' }).click();
    await button('Remove').click();
    await expect.element(line(/^3b: /u)).not.toBeInTheDocument();
    await line(/^3: any/u)
      .getByRole('button', { name: 'any of' })
      .click();
    await button('Up').click();
    await expect.element(line(/^2: any of 1 condition/u)).toBeVisible();
    await page.getByRole('switch', { name: '1 is on' }).click({ force: true });
    await expect.element(line(/^1: RSI 14/u).getByText('off')).toBeVisible();
  });

  test('every kind of operand has its fields', async () => {
    await open([aRuleStrategy(1)]);
    const side = page.getByRole('combobox', { name: 'Right side' });
    await line(/^3: /u).getByRole('button', { name: '68' }).click();
    for (const [kind, field] of [
      ['Indicator: MACD', 'Fast period'],
      ['Indicator: Bollinger', 'Deviations'],
      ['Highest of', 'Of candles'],
      ['Change of', 'Over candles'],
      ['Candles since', 'Counted up to'],
      ['Plus or minus', 'Times'],
      ['Price or volume', 'Candles back'],
    ] as const) {
      await side.fill(kind);
      await page.getByRole('option', { name: kind, exact: true }).click();
      await expect.element(page.getByRole('textbox', { name: field, exact: true }).first()).toBeVisible();
    }
    await side.fill('Time of day');
    await page.getByRole('option', { name: 'Time of day' }).click();
    await expect.element(line(/^3: RSI 14 is above the time/u)).toBeVisible();
  });

  test('a longer timeframe and another pair are chosen, and the candles of the pair are loaded for it', async () => {
    await open([aRuleStrategy(1)]);
    await line(/^2: /u).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('combobox', { name: 'Timeframe', exact: true }).first().click();
    await page.getByRole('option', { name: '1h', exact: true }).click();
    await page.getByRole('combobox', { name: 'Pair', exact: true }).first().fill('ETH');
    await page.getByRole('option', { name: 'ETH/USDT', exact: true }).click();
    await expect.element(line(/^2: ETH\/USDT 1h close is above EMA 100/u)).toBeVisible();
    await says('A longer timeframe or another pair uses its last closed candle, so the rule cannot see the future.');
    await expect.poll(() => network.of('candleHistory').map(({ query }) => query['symbol'])).toContain('ETH/USDT');
    await expect.element(figures().getByText('Difference')).toBeVisible();
  });

  test('a number becomes a parameter, is renamed, and is a number again', async () => {
    await open([aRuleStrategy(1)]);
    await line(/^3: /u).getByRole('button', { name: '68' }).click();
    await button('Parameter of Number').click();
    await page.getByRole('menuitem', { name: 'New parameter' }).click();
    const parameters = page.getByRole('table', { name: 'Parameters' });
    await expect.element(parameters.getByText('condition 3')).toBeVisible();
    const name = page.getByRole('textbox', { name: 'Name of parameter value1' });
    await name.fill('low');
    await says('There is a parameter low already.');
    await name.fill('hot');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('textbox', { name: 'Name of parameter hot' })).toBeVisible();
    await expect.element(line(/^3: /u).getByRole('button', { name: 'hot 68' })).toBeVisible();
    await button('Remove parameter hot').click();
    await expect.element(line(/^3: /u).getByRole('button', { name: '68', exact: true })).toBeVisible();
  });

  test('the longs are mirrored, and undo and redo go through every edit', async () => {
    await open([aRuleStrategy(1)]);
    await button('Mirror the longs').click();
    await expect.element(line(/^4: RSI 14 is above/u)).toBeVisible();
    await expect.element(line(/^6: RSI 14 is below 32/u)).toBeVisible();
    await button('Undo').click();
    await says('No conditions: this strategy never goes short.');
    await button('Redo').click();
    await expect.element(line(/^6: RSI 14 is below 32/u)).toBeVisible();
    await button('Undo').click();
    expect(edits().elements()).toEqual([]);
  });

  test('the position plan and the suggested settings are part of the rules', async () => {
    await open([aRuleStrategy(1)]);
    await button('Buy more').click();
    await says(/^450\.00 USDT$/u);
    await page.getByRole('textbox', { name: 'How many times at most' }).fill('2');
    await says(/^600\.00 USDT$/u);
    await button('Take part out').click();
    await page.getByRole('textbox', { name: 'Stop loss, below the entry' }).fill('3');
    await page.getByRole('switch', { name: 'Trailing stop' }).click({ force: true });
    await expect.element(edits().getByText('Position plan')).toBeVisible();
    await expect.element(edits().getByText('Stop loss')).toBeVisible();
    network.on('saveRules', aRuleStrategy(1, { version: 4 }));
    await edits().getByRole('button', { name: 'Save as version 4' }).click();
    await expect
      .poll(() => network.of('saveRules')[0]?.body)
      .toMatchObject({
        document: {
          positionPlan: { addMore: { distance: 0.01, stake: 0.5, most: 2 }, takeOut: [{ profit: 0.01, part: 0.5 }] },
          defaults: { stoploss: -0.03, trailingStop: true },
        },
      });
  });

  test('the keyboard moves along the lines, switches, moves, adds and undoes; it never saves', async () => {
    await open([aRuleStrategy(1)]);
    const first = line(/^1: RSI 14/u);
    await expect.element(first).toBeVisible();
    (first.element() as HTMLElement).focus();
    const focused = () => document.activeElement?.getAttribute('aria-label') ?? '';
    await userEvent.keyboard('{ArrowDown}');
    await expect.poll(focused).toMatch(/^2: close/u);
    await userEvent.keyboard(' ');
    await expect.element(line(/^2: close/u).getByText('off')).toBeVisible();
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await expect.poll(focused).toMatch(/^1: close/u);
    await userEvent.keyboard('a');
    await expect.poll(focused).toMatch(/^3: close is above 0/u);
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('group', { name: 'Fields of 3' })).toBeVisible();
    await userEvent.keyboard('{Escape}{Escape}');
    await expect.element(page.getByRole('group', { name: 'Fields of 3' })).not.toBeInTheDocument();
    await expect.poll(focused).toMatch(/^3: close is above 0/u);
    await userEvent.keyboard('{Control>}z{/Control}{Control>}z{/Control}{Control>}z{/Control}');
    await expect.poll(() => edits().elements()).toEqual([]);
    await userEvent.keyboard('{Control>}s{/Control}{Enter}');
    expect(network.of('saveRules')).toEqual([]);
  });
});

describe('rules as a whole', () => {
  test('they are shared, and no longer', async () => {
    holdMoments(2000);
    await open([aRuleStrategy(1)]);
    network.on('shareRules', aRuleStrategy(1, { is_shared: true }));
    await button('Share with everybody').click();
    await says('Everybody can see and use these rules now');
    expect(network.of('shareRules')[0]?.body).toEqual({ is_shared: true });
    network.on('shareRules', problem(403, 'These rules belong to somebody else. Make a copy to change them.'));
    await button('Stop sharing').click();
    await expect.element(page.getByText(/The rules are still shared/u)).toBeVisible();
  });

  test('a list that was asked for before they were shared does not take it back', async () => {
    await open([aRuleStrategy(1)]);
    network.on('shareRules', aRuleStrategy(1, { is_shared: true }));
    await expect.element(button('Share with everybody')).toBeVisible();
    const late = Promise.withResolvers<{ rules: Rules }>();
    let isAnswered = false;
    network.on('listRules', async () => {
      const answer = await late.promise;
      isAnswered = true;
      return answer;
    });
    const asked = network.of('listRules').length;
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is asked for again
    await expect.poll(() => network.of('listRules').length).toBeGreaterThan(asked);
    await button('Share with everybody').click();
    await expect.element(button('Stop sharing')).toBeVisible();
    late.resolve({ rules: [aRuleStrategy(1)] });
    await expect.poll(() => isAnswered).toBe(true);
    await pass(0); // what follows the answer
    await expect.element(button('Stop sharing')).toBeVisible();
  });

  test('they are removed once no bot uses them', async () => {
    await open(
      [aRuleStrategy(1), aRuleStrategy(2, { name: 'Second', document: { ...someRules, title: 'Second' } })],
      'trader',
      `&strategy=${idOf(701)}`,
    );
    network.on('removeRules', problem(409, 'Bots use these rules. Give them another strategy first.'));
    const remove = async () => {
      await button('More for these rules').click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByRole('dialog', { name: 'Remove Rules' }).getByRole('button', { name: 'Remove' }).click();
    };
    await remove();
    await expect.element(page.getByText(/Give them another strategy first/u)).toBeVisible();
    network.on('removeRules', { id: idOf(701) });
    await remove();
    await expect.element(page.getByRole('heading', { name: 'Second', level: 1 })).toBeVisible();
  });

  test('an earlier version is restored as a draft', async () => {
    await open([aRuleStrategy(1)]);
    const earlier = { ...someRules, exitLong: [] };
    network.on('listRuleVersions', {
      versions: [
        { version: 3, made_at: '2026-11-19T10:00:00.000Z', made_by: 'trader@flotilla.example', document: someRules },
        { version: 2, made_at: '2026-11-18T10:00:00.000Z', made_by: null, document: earlier },
        { version: 1, made_at: '2026-11-17T10:00:00.000Z', made_by: null, document: null },
      ],
    });
    await button('history').click();
    await button('What it changed').click();
    await expect.element(page.getByRole('list', { name: 'What differs' }).getByText(/Exit long \(hot\)/u)).toBeVisible();
    await says('written by another version of the program');
    await button('Restore version 2 as a draft').click();
    await expect.element(edits().getByText('Exit long (hot)')).toBeVisible();
    await button('Undo').click();
    expect(edits().elements()).toEqual([]);
  });

  test('the form of a new bot opens with them chosen', async () => {
    await open([aRuleStrategy(1)]);
    network.on('listStrategies', { strategies: [aStrategy(1), aStrategy(2, { id: idOf(701), name: 'Dips in a rise', kind: 'rules' })] });
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
    await button('Use for a bot').click();
    await expect.element(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue('Dips in a rise');
  });

  test('a phone names the version whose figure it shows, and has the way to a bot without a menu', async () => {
    await page.viewport(390, 844);
    try {
      await open([aRuleStrategy(1)]);
      await expect.element(page.getByText('Version 3, replay')).toBeVisible();
      await expect.element(button('Use for a bot')).toBeVisible();
    } finally {
      await page.viewport(1440, 1000);
    }
  });

  test('a bot takes the newest version at a press, after a look at what differs; a live one is asked about', async () => {
    holdMoments(2000);
    const bots = [
      aUsingBot(1, 2),
      aUsingBot(2, 2, { mode: 'live', exchange_id: 'binance' }),
      aUsingBot(3, 3),
      aUsingBot(4, 2, { user_id: idOf(9) }),
    ];
    await open([aRuleStrategy(1, { bots })]);
    const earlier = { ...someRules, parameters: { low: { ...someRules.parameters['low'], default: 30 } } };
    network.on('ruleVersion', { version: 2, made_at: '2026-11-18T10:00:00.000Z', made_by: null, document: earlier });
    const list = page.getByRole('list', { name: 'Bots that use these rules' });
    await list.getByRole('button', { name: 'What differs' }).first().click();
    await expect.element(page.getByRole('list', { name: 'What differs' }).getByText('30')).toBeVisible();
    const both = page.getByRole('table', { name: 'Both versions over 30 days' });
    await expect.element(both.getByText(/^[+-]\$\d/u).nth(1)).toBeVisible();
    expect(list.getByRole('button', { name: /^Take version 3 for Bot [34]/u }).elements()).toEqual([]);
    network.on('takeVersion', aBot(1));
    await button('Take version 3 for Bot 1').click();
    await says('Bot 1 runs version 3 from the next candle on');
    expect(network.of('takeVersion').map(({ query, body }) => [query, body])).toEqual([[{ mode: 'paper' }, { version: 3 }]]);
    await button('Take version 3 for Bot 2').click();
    await expect.element(page.getByText(/It is live and runs version 2/u)).toBeVisible();
    await page.getByRole('dialog', { name: 'Take Version' }).getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('takeVersion')).toHaveLength(1);
  });

  test('a live bot takes the version that was asked about, also where somebody saves the rules again meanwhile', async () => {
    const bots = [aUsingBot(2, 2, { mode: 'live' })];
    await open([aRuleStrategy(1, { bots })]);
    network.on('takeVersion', problem(409, 'There is a newer version meanwhile. Reload to see it.'));
    const asked = page.getByRole('dialog', { name: 'Take Version' });
    await button('Take version 3 for Bot 2').click();
    const question = asked.getByText(/^Have Bot 2 run version 3 of /u);
    await expect.element(question).toBeVisible();
    network.on('listRules', { rules: [aRuleStrategy(1, { bots, version: 4 })] });
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is loaded again
    await expect.element(page.getByText('Take version 4', { exact: true })).toBeInTheDocument();
    await expect.element(question).toBeVisible();
    await asked.getByRole('button', { name: 'Take Version 3' }).click();
    await expect.poll(() => network.of('takeVersion').map(({ body }) => body)).toEqual([{ version: 3 }]);
  });

  test('a live bot whose taking is cancelled while it is sent does not take the rules', async () => {
    await open([aRuleStrategy(1, { bots: [aUsingBot(2, 2, { mode: 'live' })] })]);
    const asked = page.getByRole('dialog', { name: 'Take Version' });
    await button('Take version 3 for Bot 2').click();
    await expectNoFurtherTry(network, 'takeVersion', {
      confirm: () => asked.getByRole('button', { name: 'Take Version 3' }).click(),
      cancel: () => asked.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The change of Bot 2 to version 3 may have been done already: check the bot.',
    });
    await expect.element(asked).not.toBeInTheDocument();
    await expect.element(button('Take version 3 for Bot 2')).toBeEnabled();
  });
});

describe('the backtest while one edits', () => {
  test('where each condition held stands at its line, and the trades that differ add up and are walked along', async () => {
    await open([aRuleStrategy(1)]);
    await expect.element(line(/^1: RSI 14/u).getByText(/^\d+(\.\d+)?%$/u)).toBeVisible();
    await expect.element(line(/^1: RSI 14/u).getByText(/\d+ alone$/u)).toBeVisible();
    await expect
      .element(page.getByRole('group', { name: 'Where each condition held, under the candles' }).getByText('signal'))
      .toBeVisible();
    await page.getByRole('textbox', { name: 'Value of low' }).fill('40');
    const sums = page.getByRole('table', { name: 'What the difference is made of' });
    await expect.element(sums.getByText('Difference')).toBeVisible();
    const amounts =
      (sums.element() as HTMLTableElement).innerText.match(/[+-]\$\d+\.\d\d$/gmu)?.map((text) => Number(text.replace('$', ''))) ?? [];
    expect(amounts).toHaveLength(4);
    expect(amounts[0] + amounts[1] + amounts[2]).toBeCloseTo(amounts[3], 1);
    const table = page.getByRole('table', { name: 'Trades that differ' });
    await table.getByRole('button').nth(3).click();
    await expect.element(page.getByText(/^change 1 of \d+$/u)).toBeVisible();
    (line(/^1: RSI 14/u).element() as HTMLElement).focus();
    await userEvent.keyboard(']');
    await expect.element(page.getByText(/^change 2 of \d+$/u)).toBeVisible();
    await userEvent.keyboard('[[');
    await expect.element(page.getByText(/^change 1 of \d+$/u)).toBeVisible();
    const effects = page.getByRole('table', { name: 'What each condition does' });
    await expect.element(effects.getByText('close is above EMA 100')).toBeVisible();
    await expect.poll(() => (effects.element() as HTMLElement).getAttribute('aria-busy')).toBe('false');
    await expect.element(page.getByRole('region', { name: 'How much this proves' })).toBeVisible();
  });

  test('a pair that the rules read and the market does not have is named', async () => {
    const guard: RulesDocument['guard'] = [
      {
        kind: 'compare',
        left: { kind: 'price', price: 'close', symbol: 'DOT/USDT' },
        operator: 'above',
        right: { kind: 'number', value: 1 },
      },
    ];
    network = answerFor(aUser('trader'))
      .on('listRules', { rules: [aRuleStrategy(1, { document: { ...someRules, guard } })] })
      .on('candleHistory', ({ query }) => (query['symbol'] === 'DOT/USDT' ? problem(404, 'Trading pair not found') : aHistory()));
    startPage('/');
    choiceStore.setState(choiceStore.getInitialState());
    await render(<TestPage path="/" search={address} />);
    await says('The candles could not be loaded.');
    await says('The rules read DOT/USDT: Trading pair not found. On futures it is named DOT/USDT:USDT');
  });

  test('candles that cannot be loaded say why and are tried again; another market is another replay', async () => {
    network = answerFor(aUser('trader'))
      .on('listRules', { rules: [aRuleStrategy(1)] })
      .on('candleHistory', problem(404, 'Trading pair not found'));
    startPage('/');
    choiceStore.setState(choiceStore.getInitialState());
    await render(<TestPage path="/" search={address} />);
    await says('The candles could not be loaded.');
    await says('Trading pair not found');
    network.on('candleHistory', () => aHistory());
    await button('Retry').click();
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
    await page.getByRole('combobox', { name: 'Days' }).click();
    await page.getByRole('option', { name: '30 days of 5m' }).click();
    await expect.poll(() => network.of('candleHistory').at(-1)?.query['days']).toBe('30');
    await expect.element(figures().getByText('30 days')).toBeVisible();
  });

  test('rules that make no trade say why', async () => {
    await open([
      aRuleStrategy(1, {
        document: {
          ...someRules,
          guard: [{ kind: 'compare', left: { kind: 'price', price: 'close' }, operator: 'below', right: { kind: 'number', value: 1 } }],
        },
      }),
    ]);
    await says('No trades: the strategy gave no signal to enter.');
    await expect.element(line(/^G: close is below 1/u).getByText('0%')).toBeVisible();
    await expect.element(line(/^G: close is below 1/u).getByText(/[1-9]\d* alone$/u)).toBeVisible();
  });

  test('while candles are loaded it says what for', async () => {
    const answer = Promise.withResolvers<Blob>();
    network = answerFor(aUser('trader'))
      .on('listRules', { rules: [aRuleStrategy(1)] })
      .on('candleHistory', () => answer.promise);
    startPage('/');
    choiceStore.setState(choiceStore.getInitialState());
    await render(<TestPage path="/" search={address} />);
    await says('Loading 90 days of 5m candles of BTC/USDT...');
    answer.resolve(aHistory());
    await expect.element(figures().getByText('Net PNL')).toBeVisible();
  });
});

function rsi(period: number) {
  return { kind: 'indicator', indicator: 'rsi', settings: { period }, output: 'value' } as const;
}
