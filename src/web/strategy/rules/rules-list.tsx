import { IconClipboardText, IconPlus } from '@tabler/icons-react';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import { documentChanges } from './edit/changes.ts';
import type { RulesDraft } from './drafts/drafts-store.ts';
import { isNewKey } from './drafts/drafts-store.ts';
import type { RuleStrategy } from './use-rules.ts';

/** A line of the list. */
export interface ListedRules {
  key: string;
  name: string;
  note: string; // e.g. 'version 3, 4 changes'
  isDraft: boolean;
  group: 'own' | 'shared' | 'others';
}

/** The rules as the list shows them: own ones with those that are not saved yet, shared ones, and for admins those of others. */
export function listedRules(rules: readonly RuleStrategy[], drafts: ReadonlyMap<string, RulesDraft>): ListedRules[] {
  const begun = [...drafts.values()].filter(({ key }) => isNewKey(key));
  return [
    ...begun.map(({ key, history }): ListedRules => ({
      key,
      name: history.document.title,
      note: 'not saved yet',
      isDraft: true,
      group: 'own',
    })),
    ...rules.map((strategy) => listed(strategy, drafts.get(strategy.id))),
  ];
}

function listed(strategy: RuleStrategy, draft: RulesDraft | undefined): ListedRules {
  const { id, name, version, document, bots, is_own: isOwn, is_shared: isShared, owner } = strategy;
  const changes = draft === undefined || document === null ? 0 : documentChanges(document, draft.history.document).length;
  const users = bots.length === 0 ? 'no bot' : `${bots.length} ${bots.length === 1 ? 'bot' : 'bots'}`;
  const edits = `${changes} ${changes === 1 ? 'change' : 'changes'}`;
  return {
    key: id,
    name: draft?.history.document.title ?? name,
    note: isOwn
      ? `version ${version}, ${changes > 0 ? edits : isShared ? `shared, ${users}` : users}`
      : `${owner?.email.split('@')[0] ?? 'nobody'}, version ${version}${changes > 0 ? `, ${edits}` : ''}`,
    isDraft: changes > 0,
    group: isOwn ? 'own' : isShared ? 'shared' : 'others',
  };
}

/** See `RulesList`. */
export interface RulesListProps {
  listed: readonly ListedRules[];
  chosen: string;
  mayMake: boolean;
  onChoose: (key: string) => void;
  onNew: () => void;
  onPaste: () => void;
}

const headings = { own: 'My Rules', shared: 'Shared with everybody', others: 'Of others' } as const;

/** The rules to choose from. */
export function RulesList({ listed, chosen, mayMake, onChoose, onNew, onPaste }: RulesListProps) {
  const own = listed.filter(({ group }) => group === 'own');
  return (
    <div className="rules-left">
      <CardPanel
        title={mayMake ? headings.own : 'Rules'}
        aside={<span className="fl-number">{mayMake ? own.length : listed.length}</span>}
        flush
      >
        <nav className="rules-own" aria-label="Rules">
          {(['own', 'shared', 'others'] as const).map((group) => {
            const lines = listed.filter((each) => each.group === group);
            if (lines.length === 0) return null;
            return (
              <div key={group}>
                {group === 'own' ? null : <h3>{headings[group]}</h3>}
                {lines.map((each) => (
                  <button
                    key={each.key}
                    type="button"
                    aria-current={each.key === chosen ? 'page' : undefined}
                    onClick={() => onChoose(each.key)}
                  >
                    <span className="rules-own-name">
                      <span>{each.name.trim() === '' ? 'Without a name' : each.name}</span>
                      {each.isDraft ? <i className="rules-unsaved" role="img" aria-label="not saved" title="not saved" /> : null}
                    </span>
                    <small>{each.note}</small>
                  </button>
                ))}
              </div>
            );
          })}
        </nav>
        {mayMake ? (
          <div className="rules-new">
            <Button size="small" variant="secondary" icon={<IconPlus size={13} aria-hidden />} onClick={onNew}>
              New
            </Button>
            <Button size="small" variant="ghost" icon={<IconClipboardText size={13} aria-hidden />} onClick={onPaste}>
              Paste as text
            </Button>
          </div>
        ) : null}
      </CardPanel>
    </div>
  );
}

/** What takes the place of the list on a phone. */
export function RulesPicker({ listed, chosen, mayMake, onChoose, onNew }: Omit<RulesListProps, 'onPaste'>) {
  const fresh = 'new';
  return (
    <SelectBox
      label="Rules"
      hideLabel
      className="rules-picker"
      options={[
        ...listed.map(({ key, name, note }) => ({ value: key, label: `${name}, ${note}` })),
        ...(mayMake ? [{ value: fresh, label: 'New rules' }] : []),
      ]}
      value={chosen}
      onChange={(key) => (key === fresh ? onNew() : onChoose(key))}
    />
  );
}
