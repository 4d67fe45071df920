import { ownSettingsChanges, trailingContradiction } from '#contract/own-settings.ts';
import type { Issue } from '../../../ui/first-issue.ts';
import type { OwnEntries } from './own-entries.ts';
import { linesIn, toOwnChanges } from './own-entries.ts';

/** The first of the typed settings that would be refused, with the sentence of the server; null when there is none. */
export function ownIssue(entries: OwnEntries, stored: OwnEntries): Issue | null {
  const changes = toOwnChanges(entries, stored);
  if (changes === undefined) return null;
  const minutes = 'minimal_roi' in entries ? linesIn(entries['minimal_roi'] ?? '[]').map((line) => Number(line.minutes)) : [];
  if (new Set(minutes).size < minutes.length) return { field: 'own.minimal_roi', text: 'Two ROI entries begin at the same minute' };
  const { error } = ownSettingsChanges.safeParse(changes);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    const [group = '', entry] = issue.path.map(String);
    const isTable = group === 'order_types' || group === 'order_time_in_force' || group === 'parameters';
    return { field: `own.${isTable && entry !== undefined ? `${group}.${entry}` : group}`, text: issue.message };
  }
  const trailing = changes.trailing ?? null;
  const contradiction = trailing === null ? null : trailingContradiction(trailing);
  return contradiction === null ? null : { field: 'own.trailing', text: contradiction };
}
