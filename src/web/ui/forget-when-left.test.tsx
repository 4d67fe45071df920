import { expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { fillIn, useBacktestForm } from '../backtest/backtest-store.ts';
import { typeInto, useDraft as useBotDraft } from '../bots/configure/draft-store.ts';
import { setDraft as setSettings, useDraft as useSettings } from '../installation/draft-store.ts';
import { setDraft as setLimits, useDraft as useLimits } from '../limits/draft-store.ts';
import { setDraft as setComment, useDrafts as useComments } from '../paper-trades/drafts-store.ts';
import { changeDraft, useDraft as useStrategyDraft } from '../strategy/draft-store.ts';
import { changeEdits, useEdits } from '../users/edits-store.ts';
import { withRole } from '../users/user-edits.ts';
import { forgetAll } from './forget-when-left.ts';

const typed = 'invitation'; // which is a setting of the installation, too
const bot = { id: 'b', nickname: typed, pairs: [], currency: 'USDT', timeframe: '1h', words: '' } as const;

/** What each screen remembers of what was typed, and how it is typed. */
const screens: readonly [name: string, type: () => void, use: () => unknown][] = [
  ['Backtest', () => fillIn({ bot }), useBacktestForm],
  ['Configure Bot', () => typeInto(null, null, { nickname: typed }), () => useBotDraft(null)],
  ['Installation', () => setSettings({ registration: typed }), useSettings],
  ['Limits', () => setLimits('whose', { any: typed }), () => useLimits('whose')],
  ['Paper Trades', () => setComment('trade', typed), useComments],
  ['Strategy', () => changeDraft('s', (draft) => ({ ...draft, timeframe: typed })), () => useStrategyDraft('s')],
  ['Users', () => changeEdits((edits) => withRole(edits, { id: typed, role: 'trader' }, 'admin')), useEdits],
];

test.each(screens)('what was typed in %s is not there for the next person', async (_name, type, use) => {
  function Remembered() {
    return <output>{JSON.stringify(use())}</output>;
  }
  await render(<Remembered />);
  type();
  await expect.element(page.getByRole('status')).toMatchTextContent(new RegExp(typed, 'u'));
  forgetAll();
  await expect.element(page.getByRole('status')).not.toMatchTextContent(new RegExp(typed, 'u'));
});
