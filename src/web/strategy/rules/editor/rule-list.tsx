import type { SignalList } from '#engine/rules/walk.ts';
import { Switch as MantineSwitch } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { useReplayed } from '../replay/replay-store.ts';
import type { Edited } from '../edit/rule-edits.ts';
import { switchedOver, withRule, withSignal } from '../edit/rule-edits.ts';
import { groupTexts } from '../edit/sentence.ts';
import { ConditionRow, shareText } from './condition-row.tsx';
import { GroupFields } from './piece-fields.tsx';
import { faultsAt, useRulesEditor } from './rules-editor.ts';
import { SignalTag } from './signal-tag.tsx';

/** What must hold for any entry. */
export function GuardList() {
  const { rows, readOnly } = useRulesEditor();
  const guard = rows.filter(({ list }) => list === 'guard');
  return (
    <CardPanel title="Guard" aside={guard.length === 0 ? 'nothing guards the entries' : 'must hold for any entry'} flush>
      {guard.length === 0 ? null : (
        <ul className="rules-lines" aria-label="Guard">
          {guard.map((row) => (
            <ConditionRow key={row.path} row={row} tag={null} />
          ))}
        </ul>
      )}
      {readOnly ? null : (
        <div className="rules-adds">
          <AddRule holder="guard" kind="condition" label="Condition to the guard" text="Condition" />
          <AddRule holder="guard" kind="group" label="Group to the guard" text="Group" />
        </div>
      )}
    </CardPanel>
  );
}

/** See `SignalsList`. */
export interface SignalsListProps {
  list: SignalList;
  title: string;
  aside?: ReactNode;
}

/** The signals of a list, each with its conditions; any of them is enough, and the first that holds gives the tag. */
export function SignalsList({ list, title, aside }: SignalsListProps) {
  const { document, faults } = useRulesEditor();
  const signals = document[list];
  const held = useReplayed(({ listShares }) => listShares?.[list] ?? null);
  const ownFaults = faults.filter(({ path }) => path === list).map(({ sentence }) => sentence);
  return (
    <CardPanel
      title={title}
      aside={
        <>
          {signals.length > 1 ? <span>any of, first one wins</span> : null}
          {held === null || signals.length === 0 ? null : (
            <span>
              held on <b className="fl-number rules-strong">{shareText(held)}</b> of candles
            </span>
          )}
          {aside}
        </>
      }
      flush
    >
      {signals.map((_, i) => (
        <Signal key={i} list={list} place={i} title={title} />
      ))}
      {ownFaults.map((fault) => (
        <p key={fault} className="rules-fault rules-inset" role="alert">
          {fault}
        </p>
      ))}
      {signals.length === 0 ? (
        <div className="rules-empty-list">
          <span>{nothingDone[list]}</span>
          <AddSignal list={list} label={`Condition to ${title.toLowerCase()}`} text="Condition" />
        </div>
      ) : null}
    </CardPanel>
  );
}

const nothingDone: Record<SignalList, string> = {
  enterLong: 'No conditions: nothing is bought.',
  exitLong: 'No conditions: longs are left by stop, trailing stop and ROI alone.',
  enterShort: 'No conditions: this strategy never goes short.',
  exitShort: 'No conditions: shorts are left by stop, trailing stop and ROI alone.',
};

function Signal({ list, place, title }: { list: SignalList; place: number; title: string }) {
  const { document, rows, readOnly, edit } = useRulesEditor();
  const signal = document[list][place];
  const path = `${list}.${place}`;
  if (signal === undefined) return null;
  const lines = rows.filter((row) => row.list === list && row.signal === place);
  const isGroup = 'rules' in signal.when;
  const name = `${title.toLowerCase()}: ${signal.tag}`;
  const isLast = place === document[list].length - 1;
  return (
    <div className="rules-signal">
      {isGroup ? (
        <div className="rules-heading">
          <GroupHeading path={`${path}.when`} title={title} />
          <SignalTag path={path} tag={signal.tag} />
          {readOnly && signal.isOff === true ? <span>off</span> : null}
          {readOnly || (signal.isOff === undefined && document[list].length < 2) ? null : (
            <MantineSwitch
              size="xs"
              checked={signal.isOff !== true}
              withThumbIndicator={false}
              aria-label={`Signal ${signal.tag} is on`}
              onChange={() => edit((before) => switchedOver(before, path), `${path} switch`)}
            />
          )}
          <span className="rules-explained">share held; candles where only this was missing</span>
        </div>
      ) : null}
      <ul className="rules-lines" aria-label={`${title}: ${signal.tag}`}>
        {lines.map((row) => (
          <ConditionRow key={row.path} row={row} tag={isGroup ? null : signal.tag} />
        ))}
      </ul>
      {readOnly ? null : (
        <div className="rules-adds">
          {isGroup ? (
            <>
              <AddRule holder={`${path}.when`} kind="condition" label={`Condition to ${name}`} text="Condition" />
              <AddRule holder={`${path}.when`} kind="group" label={`Group to ${name}`} text="Group" />
            </>
          ) : (
            <AddRule holder={`${path}.when`} kind="condition" label={`And also, to ${name}`} text="And also" />
          )}
          {isLast ? (
            <AddSignal
              list={list}
              label={`${list.startsWith('enter') ? 'Another way in' : 'Another way out'}: ${title.toLowerCase()}`}
              text={list.startsWith('enter') ? 'Another way in' : 'Another way out'}
            />
          ) : null}
        </div>
      )}
    </div>
  );
}

/** How many of the conditions of a signal must hold. */
function GroupHeading({ path, title }: { path: string; title: string }) {
  const editor = useRulesEditor();
  const { document, opened, open, readOnly } = editor;
  const [list, place] = path.split('.');
  const rule = document[list as SignalList][Number(place)]?.when;
  if (rule === undefined || !('rules' in rule)) return null;
  const isOpen = opened === `${path}.kind`;
  const many =
    rule.kind === 'atLeast' ? `at least ${typeof rule.count === 'number' ? rule.count : rule.count.parameter} of` : groupTexts[rule.kind];
  return (
    <>
      {readOnly ? (
        <span className="rules-token rules-token-group">{many}</span>
      ) : (
        <button
          type="button"
          className={`rules-token rules-token-group${isOpen ? ' rules-token-open' : ''}`}
          aria-expanded={isOpen}
          aria-label={`How many conditions to ${title.toLowerCase()}: ${many}`}
          onClick={() => open(isOpen ? null : `${path}.kind`)}
        >
          {many}
        </button>
      )}
      <span>{rule.kind === 'none' ? 'these may hold' : 'these must hold'}</span>
      {isOpen ? (
        <div className="rules-fields rules-heading-fields">
          <GroupFields rule={rule} path={path} />
        </div>
      ) : null}
      {faultsAt(editor, path).map((fault) => (
        <span key={fault} className="rules-fault" role="alert">
          {fault}
        </span>
      ))}
    </>
  );
}

function AddRule({ holder, kind, label, text }: { holder: string; kind: 'condition' | 'group'; label: string; text: string }) {
  const { document } = useRulesEditor();
  return <Add label={label} text={text} place={holder} edited={() => withRule(document, holder, kind)} />;
}

function AddSignal({ list, label, text }: { list: SignalList; label: string; text: string }) {
  const { document, readOnly } = useRulesEditor();
  return readOnly ? null : <Add label={label} text={text} place={list} edited={() => withSignal(document, list)} />;
}

function Add({ label, text, place, edited }: { label: string; text: string; place: string; edited: () => Edited }) {
  const { edit, select } = useRulesEditor();
  return (
    <Button
      variant="ghost"
      size="small"
      icon={<IconPlus size={13} aria-hidden />}
      aria-label={label}
      onClick={() => {
        const { document, path } = edited();
        edit(document, `${place} added`);
        select(path);
      }}
    >
      {text}
    </Button>
  );
}
