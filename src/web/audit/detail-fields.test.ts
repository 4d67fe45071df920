import { expect, test } from 'vitest';
import { detailFields } from './detail-fields.ts';

test.each([
  [{ from: 'trader', to: 'operator' }, [{ field: 'Role', before: 'trader', after: 'operator' }]],
  [{ to: 'live' }, [{ field: 'Role', before: null, after: 'live' }]],
  [{ from: null, to: 0 }, [{ field: 'Role', before: 'none', after: '0' }]],
  [{ from: [1], to: [1, 2] }, [{ field: 'Role', before: '[1]', after: '[1,2]' }]],
  [
    { from: { verified: false, email_verified: true }, to: { verified: true, note: '' } },
    [
      { field: 'Verified', before: 'no', after: 'yes' },
      { field: 'Email verified', before: 'yes', after: null },
      { field: 'Note', before: null, after: 'empty' },
    ],
  ],
  [
    { from: 'nothing', to: { stoploss: -0.1 } },
    [
      { field: 'Role', before: 'nothing', after: null },
      { field: 'Stoploss', before: null, after: '-0.1' },
    ],
  ],
])('%j is what was before and after', (detail, changes) => {
  expect(detailFields(detail, 'Role')).toEqual({ changes, others: [] });
});

test('every other field is named in words, with its value', () => {
  expect(detailFields({ madeAt: '2026-11-21', paused_bots: 3, to: 'x', nested: { a: [null] }, old: null }, 'Role').others).toEqual([
    { field: 'Made at', value: '2026-11-21' },
    { field: 'Paused bots', value: '3' },
    { field: 'Nested', value: '{"a":[null]}' },
    { field: 'Old', value: 'none' },
  ]);
  expect(detailFields({}, 'Role')).toEqual({ changes: [], others: [] });
});
