import type { CallInput } from '#contract/client.ts';
import { toBotChanges, toNewBot } from '../bot-bodies.ts';
import { botIssue } from '../bot-issue.ts';
import type { BotForm } from '../use-bot-form.ts';

/** What is asked about the entries of the form: the call with its input, and the versions of the settings that count besides. */
export type HindsightQuestion =
  | { call: 'newBotHindsight'; input: CallInput<'newBotHindsight'>; versions: string }
  | { call: 'botHindsight'; input: CallInput<'botHindsight'>; versions: string };

/** The question about these entries; null while they could not be saved. Whose bot it is, its name, mode and key do not count. */
export function hindsightQuestion(form: Pick<BotForm, 'entries' | 'stored' | 'storedEntries' | 'strategies'>): HindsightQuestion | null {
  const { entries, stored, storedEntries, strategies } = form;
  if (botIssue({ ...entries, mode: 'paper', userEmail: 'somebody', nickname: '' }, storedEntries) !== null) return null;
  const strategyVersion = strategies.find(({ id }) => id === entries.strategyId)?.version ?? 0;
  if (stored === null) {
    const { user_email: _email, mode: _mode, nickname: _nickname, ...body } = toNewBot(entries, null);
    return { call: 'newBotHindsight', input: { body }, versions: `${strategyVersion}` };
  }
  const { nickname: _nickname, ...body } = toBotChanges(entries, storedEntries, null);
  return { call: 'botHindsight', input: { params: { id: stored.id }, body }, versions: `${strategyVersion} ${stored.version}` };
}
