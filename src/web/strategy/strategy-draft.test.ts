import { describe, expect, test } from 'vitest';
import { aStrategy } from '../testing/samples/strategies.ts';
import { digitsOnly, ratioLeft, ratioTyped, roiWords } from './roi-text.ts';
import { changesOf, draftIssue, namedChanges, withField } from './strategy-draft.ts';
import type { FieldName, StrategyFields } from './strategy-fields.ts';
import { fieldsOf } from './strategy-fields.ts';
import { maxLossesOf } from './strategy-values.ts';

const strategy = aStrategy(1, {
  trailing_stop: true,
  trailing_stop_positive: 0.006,
  risk_reward_ratio: 2,
  encrypted_webhook: 'https://a.b/c',
});
const sent = (draft: Partial<StrategyFields>, from = strategy) => changesOf(from, draft);

describe('what is sent', () => {
  test('STRAT-19 is the changed fields only', () => {
    expect(sent({})).toEqual({});
    expect(sent({ name: ' Other ', description: 'Follows the trend.' })).toEqual({ name: 'Other' });
  });

  test('STRAT-20 is not a field without a value', () => {
    expect(sent({ stoploss: '', name: 'Other' })).toEqual({ name: 'Other' });
  });

  test('VALID-18, OP-54 an emptied ratio is 0, an emptied webhook is empty text', () => {
    expect(sent({ risk_reward_ratio: '', encrypted_webhook: '' })).toEqual({ risk_reward_ratio: 0, encrypted_webhook: '' });
    expect(sent({ risk_reward_ratio: '' }, aStrategy(1))).toEqual({});
  });

  test('OP-54 an emptied positive trailing stop is 0, and so is none where there was none', () => {
    expect(sent({ trailing_stop_positive: '' })).toEqual({ trailing_stop_positive: 0 });
    expect(draftIssue(strategy, { trailing_stop_positive: '' })).toBeNull();
    expect(sent({ trailing_stop_positive: '' }, aStrategy(1))).toEqual({});
  });

  test.each(['2.5', '-2.5', '2.50'])('VALID-12, VALID-13 a stop loss of %s is a negative fraction', (stoploss) => {
    expect(sent({ stoploss })).toEqual({ stoploss: -0.025 });
  });

  test('VALID-14 trailing stops are per cent divided by 100', () => {
    expect(sent({ trailing_stop_positive: '0.7', trailing_stop_positive_offset: '1.1' })).toEqual({
      trailing_stop_positive: 0.007,
      trailing_stop_positive_offset: 0.011,
    });
  });

  test('VALID-30 exchanges are trimmed; blanks between commas are nothing', () => {
    expect(sent({ supported_exchanges: ' okx ,, binance' })).toEqual({ supported_exchanges: ['okx', 'binance'] });
    expect(sent({ supported_exchanges: 'sandbox,binance' })).toEqual({});
  });

  test('STRAT-28 rows that are blank or half chosen are ignored', () => {
    const rows = fieldsOf(strategy).order_types;
    expect(sent({ order_types: [...rows, { action: null, value: null }, { action: 'stoploss', value: null }] })).toEqual({});
    expect(
      sent({
        order_types: [
          { action: 'stoploss', value: 'market' },
          { action: null, value: 'limit' },
        ],
      }),
    ).toEqual({
      order_types: { stoploss: 'market' },
    });
  });

  test('keeps every digit of figures that were shown rounded and not touched', () => {
    const exact = aStrategy(1, { minimal_roi: { '0': 0.012_345, '60': 0.01 }, risk_reward_ratio: 1.234_5, stoploss: -0.012_345 });
    expect(fieldsOf(exact)).toMatchObject({ risk_reward_ratio: '1.23', stoploss: '1.2345' });
    const first = { minutes: '0', ratio: '0.0123' };
    expect(fieldsOf(exact).minimal_roi[0]).toEqual(first);
    expect(sent({ minimal_roi: [first, { minutes: '90', ratio: '0.01' }] }, exact)).toEqual({
      minimal_roi: { '0': 0.012_345, '90': 0.01 },
    });
    expect(sent({ stoploss: '1.2345', risk_reward_ratio: '1.23' }, exact)).toEqual({});
  });
});

describe('the form', () => {
  test('STRAT-16 a field returned to its original value drops its pending change', () => {
    const changed = withField(strategy, {}, 'name', 'Other');
    expect(changed).toEqual({ name: 'Other' });
    expect(withField(strategy, changed, 'name', 'Strategy 1')).toEqual({});
    expect(namedChanges(strategy, { stoploss: '10' })).toEqual([]);
  });

  test('STRAT-25, STRAT-27, STRAT-29 shows the default rows where there are none', () => {
    const bare = fieldsOf(aStrategy(1, { minimal_roi: {}, order_types: {}, order_time_in_force: {} }));
    expect(bare.minimal_roi).toEqual([
      { minutes: '0', ratio: '0.0200' },
      { minutes: '1', ratio: '0.0100' },
      { minutes: '2', ratio: '0.0000' },
    ]);
    expect(bare.order_types).toEqual([{ action: 'entry', value: 'limit' }]);
    expect(bare.order_time_in_force).toEqual([{ action: 'entry', value: 'GTC' }]);
  });

  test('STRAT-26, OP-55, VALID-23 shows the first three ROI entries by minutes, with 4 decimals', () => {
    const four = aStrategy(1, { minimal_roi: { '60': 0.01, '0': 0.04, '120': 0, '30': 0.025 } });
    expect(fieldsOf(four).minimal_roi).toEqual([
      { minutes: '0', ratio: '0.0400' },
      { minutes: '30', ratio: '0.0250' },
      { minutes: '60', ratio: '0.0100' },
    ]);
    expect(changesOf(four, {})).toEqual({});
  });

  test('VALID-15, VALID-16 losses in a row are clamped, and 5 when not a number', () => {
    expect(['0', '1', '7.9', '10', '99', '-4', '', 'x'].map(maxLossesOf)).toEqual([1, 1, 7, 10, 10, 1, 5, 5]);
  });

  test('VALID-21, VALID-22 minutes take digits; a fraction takes digits and one dot, and a comma is a dot', () => {
    expect(digitsOnly('1a4-4.0')).toBe('1440');
    expect(ratioTyped('0,02', '')).toBe('0.02');
    expect(ratioTyped('0.0.2', '0.0')).toBe('0.0');
    expect(ratioTyped('-1', '')).toBe('');
    expect(roiWords({ minutes: '1440', ratio: '0.0250' })).toBe('closes at 2.5% profit after 1d 0h');
    expect(roiWords({ minutes: '0', ratio: '0.06' })).toBe('closes at 6% profit, from the start');
    expect(roiWords({ minutes: '0', ratio: '0.00004' })).toBe('closes at 0.004% profit, from the start');
    expect(roiWords({ minutes: '', ratio: '0.0250' })).toBe('');
  });

  test('VALID-22, VALID-23 a fraction that is left gets 4 decimals; what is not a number, or too large for digits, stays as it was typed', () => {
    expect(['0.01', '.5', '1.', '0.00004', '7'].map(ratioLeft)).toEqual(['0.0100', '0.5000', '1.0000', '0.0000', '7.0000']);
    const kept = ['', '.', '9'.repeat(22), '9'.repeat(400)];
    expect(kept.map(ratioLeft)).toEqual(kept);
  });

  test.each<[Partial<StrategyFields>, FieldName, string]>([
    [{ name: ' ' }, 'name', 'Name is required'],
    [{ risk_reward_ratio: '0.05' }, 'risk_reward_ratio', 'Risk reward ratio must be at least 0.1'], // VALID-19
    [{ stoploss: '0' }, 'stoploss', 'Stop loss must be a negative fraction'],
    [{ stoploss: '150' }, 'stoploss', 'Stop loss must be a negative fraction'],
    [{ trailing_stop_positive: '100' }, 'trailing_stop_positive', 'Trailing stop must be a positive fraction'],
    [{ minimal_roi: [{ minutes: '', ratio: '0.02' }] }, 'minimal_roi', 'Invalid ROI entry'],
    [
      {
        minimal_roi: [
          { minutes: '0', ratio: '0.02' },
          { minutes: '', ratio: '' },
        ],
      },
      'minimal_roi',
      'Invalid ROI entry',
    ],
    [{ minimal_roi: [{ minutes: '5', ratio: '' }] }, 'minimal_roi', 'Invalid ROI entry'],
    [{ minimal_roi: [{ minutes: '5', ratio: '.' }] }, 'minimal_roi', 'Invalid ROI entry'],
    [
      {
        minimal_roi: [
          { minutes: '5', ratio: '0' },
          { minutes: '05', ratio: '1' },
        ],
      },
      'minimal_roi',
      'Each ROI entry needs a time of its own',
    ],
    [{ encrypted_webhook: 'http://a.b' }, 'encrypted_webhook', 'Invalid webhook URL'],
  ])('VALID-19 refuses %o', (draft, field, text) => {
    expect(draftIssue(strategy, draft)).toEqual({ field, text });
  });

  test('a pending change is named with what is stored; a secret is not shown', () => {
    const changes = namedChanges(strategy, { stoploss: '2.50', encrypted_webhook: 'https://a.b/new', trailing_stop: false });
    expect(changes.map(({ name, from, to }) => [name, from, to])).toEqual([
      ['Stop Loss', '10.00%', '2.50%'],
      ['Trailing Stop', 'on', 'off'],
      ['Webhook', 'one that is set', 'a new one'],
    ]);
    const table = [...fieldsOf(strategy).minimal_roi, { minutes: '60', ratio: '0.0100' }];
    expect(namedChanges(strategy, { minimal_roi: table })).toMatchObject([{ name: 'ROI', from: 'none', to: '60 min 0.0100' }]);
  });
});
