import { Switch as MantineSwitch } from '@mantine/core';
import type { Rule } from '#engine/rules/document.ts';
import { memo } from 'react';
import { formatRatio } from '../../../ui/ratio.ts';
import { useReplayed } from '../replay/replay-store.ts';
import type { DocumentChange } from '../edit/changes.ts';
import { switchedOver } from '../edit/rule-edits.ts';
import type { RuleRow } from '../edit/rule-rows.ts';
import type { WithParameters } from '../edit/sentence.ts';
import { ruleText } from '../edit/sentence.ts';
import { PieceFields } from './piece-fields.tsx';
import { RowTools } from './row-tools.tsx';
import type { RulesEditor } from './rules-editor.ts';
import { changesAt, faultsAt, useRulesEditor } from './rules-editor.ts';
import { SentenceView } from './sentence-view.tsx';
import { SignalTag } from './signal-tag.tsx';
import { useSame } from './use-same.ts';

/** A line of a list: number, switch, sentence, and how often it held; below it what is wrong, what it was, and the fields of the piece that is open. */
export function ConditionRow({ row, tag }: { row: RuleRow; tag: string | null }) {
  const editor = useRulesEditor();
  const { document, rows, readOnly, selected, opened, select, open, edit } = editor;
  const { path, rule, label, name, depth } = row;
  const faults = useSame(faultsAt(editor, path));
  const changes = useSame(changesAt(editor, path));
  const isSelected = selected === path;
  return (
    <RowView
      path={path}
      rule={rule}
      label={label}
      name={name}
      depth={depth}
      tag={tag}
      parameters={document.parameters}
      readOnly={readOnly}
      isSelected={isSelected}
      isStop={isSelected || (selected === null && rows[0]?.path === path)}
      opened={opened !== null && opened.startsWith(`${path}.`) ? opened : null}
      faults={faults}
      changes={changes}
      select={select}
      open={open}
      edit={edit}
    />
  );
}

interface RowViewProps
  extends WithParameters, Pick<RuleRow, 'path' | 'label' | 'name' | 'depth'>, Pick<RulesEditor, 'readOnly' | 'select' | 'open' | 'edit'> {
  rule: Rule;
  tag: string | null; // of a signal that is this line alone
  isSelected: boolean;
  isStop: boolean; // the keyboard comes to it first
  opened: string | null;
  faults: readonly string[];
  changes: readonly DocumentChange[];
}

/** Drawn again only when something of the line has changed: there may be sixty of them, and a number is typed digit by digit. */
const RowView = memo(function RowView(props: RowViewProps) {
  const { path, rule, label, name, depth, tag, parameters, readOnly, isSelected, isStop, opened, faults, changes, select, open, edit } =
    props;
  const isOff = rule.isOff === true;
  const looks = [
    'rules-row',
    depth > 0 ? `rules-row-in${Math.min(depth, 3)}` : '',
    isSelected ? 'rules-row-selected' : '',
    isOff ? 'rules-row-off' : '',
    changes.length > 0 ? 'rules-row-changed' : '',
  ];
  return (
    <li className="rules-line" data-rule={path}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- the arrow keys move along lines, see use-rules-keys */}
      <div
        className={looks.filter((look) => look !== '').join(' ')}
        role="group"
        aria-label={`${name}: ${ruleText({ parameters }, rule)}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- one stop for all lines; its buttons are reached from it
        tabIndex={isStop ? 0 : -1}
        onClick={() => select(path)}
        onFocus={() => select(path)}
      >
        <span className="rules-no">{label}</span>
        {readOnly ? (
          <span />
        ) : (
          <MantineSwitch
            size="xs"
            className="rules-switch"
            checked={!isOff}
            withThumbIndicator={false}
            aria-label={`${name} is on`}
            onChange={() => edit((document) => switchedOver(document, path), `${path} switch`)}
          />
        )}
        <div className="rules-say">
          <SentenceView
            parameters={parameters}
            rule={rule}
            path={path}
            changed={changes.map((change) => change.path)}
            readOnly={readOnly}
            opened={opened}
            onOpen={open}
          />
          {tag === null ? null : <SignalTag path={path.replace(/\.when$/u, '')} tag={tag} />}
          {changes.map((change, i) => (
            <span key={`${i} ${change.path}`} className="rules-was">
              {change.from === 'none' ? 'new' : `was ${change.from}`}
            </span>
          ))}
          {faults.map((fault) => (
            <span key={fault} className="rules-fault" role="alert">
              {fault}
            </span>
          ))}
        </div>
        <HeldStats path={path} isOff={isOff} />
      </div>
      {opened !== null && isSelected && !readOnly ? (
        <div className="rules-edit" role="group" aria-label={`Fields of ${name}`}>
          <PieceFields rule={rule} path={path} opened={opened} />
          <RowTools path={path} isGroup={'rules' in rule} />
        </div>
      ) : null}
    </li>
  );
});

function HeldStats({ path, isOff }: { path: string; isOff: boolean }) {
  const share = useReplayed(({ shares }) => shares.get(path)?.share ?? null);
  const alone = useReplayed(({ shares }) => shares.get(path)?.alone ?? null);
  if (isOff) return <span className="rules-held">off</span>;
  if (share === null) return <span className="rules-held" />;
  return (
    <span className="rules-held fl-number">
      <b>{shareText(share)}</b> {alone === null ? null : `${alone} alone`}
    </span>
  );
}

/** A share of candles with two digits that say something: '59%', '6.1%', '0.7%', '0.02%'. */
export function shareText(share: number): string {
  if (share === 0) return '0%';
  if (share >= 0.1) return formatRatio(share, 0);
  return share >= 0.001 ? formatRatio(share, 1) : formatRatio(share, 2);
}
