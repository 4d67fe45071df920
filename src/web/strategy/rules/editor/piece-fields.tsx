import type { Operand, Rule } from '#engine/rules/document.ts';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { SelectBox } from '../../../ui/select-box.tsx';
import type { ConditionKind } from '../edit/operand-kinds.ts';
import { conditionKindOf, conditionKinds, withConditionKind } from '../edit/operand-kinds.ts';
import { pieceAt, withoutPiece, withPiece } from '../edit/pieces-at.ts';
import { inGroup, withoutGroup, withRule } from '../edit/rule-edits.ts';
import { AmountField } from './amount-field.tsx';
import { OperandFields } from './operand-fields.tsx';
import { useRulesEditor } from './rules-editor.ts';
import { SentenceView } from './sentence-view.tsx';

/** The fields of the piece of a condition or group that was opened, and what every condition has. */
export function PieceFields({ rule, path, opened }: { rule: Rule; path: string; opened: string }) {
  const piece = opened.slice(path.length + 1);
  return (
    <div className="rules-fields">
      <OpenedFields rule={rule} path={path} piece={piece} />
      <WithinField rule={rule} path={path} />
    </div>
  );
}

function OpenedFields({ rule, path, piece }: { rule: Rule; path: string; piece: string }) {
  if ('rules' in rule) return <GroupFields rule={rule} path={path} />;
  const sides: Record<string, { label: string; beside: Operand | null }> =
    rule.kind === 'moves'
      ? { operand: { label: 'What moves', beside: null } }
      : { left: { label: 'Left side', beside: rule.right }, right: { label: 'Right side', beside: rule.left } };
  const { [piece]: side } = sides;
  if (side !== undefined) return <OperandFields label={side.label} path={`${path}.${piece}`} beside={side.beside} ruleBox={ruleBox} />;
  return <ConditionFields rule={rule} path={path} />;
}

function ConditionFields({ rule, path }: { rule: Rule; path: string }) {
  const { document, edit } = useRulesEditor();
  return (
    <>
      <SelectBox<ConditionKind>
        label="How they are compared"
        className="rules-wide"
        options={conditionKinds}
        value={conditionKindOf(rule)}
        onChange={(kind) => edit(withPiece(document, path, withConditionKind(rule, kind)), `${path} kind`)}
      />
      {rule.kind === 'near' ? <AmountField label="Distance" path={`${path}.distance`} isRatio least={0} /> : null}
      {rule.kind === 'moves' ? <AmountField label="Candles in a row" path={`${path}.candles`} isWhole least={1} /> : null}
    </>
  );
}

const groupKinds = [
  { value: 'all', label: 'all of these must hold' },
  { value: 'any', label: 'any of these is enough' },
  { value: 'none', label: 'none of these may hold' },
  { value: 'atLeast', label: 'at least so many of these' },
] as const;

/** The fields of a group: how many of its rules must hold. */
export function GroupFields({ rule, path }: { rule: Rule; path: string }) {
  const { document, edit } = useRulesEditor();
  if (!('rules' in rule)) return null;
  const { rules, isOff, within } = rule;
  return (
    <>
      <SelectBox
        label="How many must hold"
        className="rules-wide"
        options={groupKinds}
        value={rule.kind}
        onChange={(kind) => {
          const kept = { ...(isOff === undefined ? {} : { isOff }), ...(within === undefined ? {} : { within }) };
          const next: Rule =
            kind === 'atLeast' ? { kind, count: Math.min(2, Math.max(1, rules.length)), rules, ...kept } : { kind, rules, ...kept };
          edit(withPiece(document, path, next), `${path} kind`);
        }}
      />
      {rule.kind === 'atLeast' ? <AmountField label="At least" path={`${path}.count`} isWhole least={1} /> : null}
    </>
  );
}

/** In how many of the last candles it is enough to have held. */
function WithinField({ rule, path }: { rule: Rule; path: string }) {
  const { document, edit } = useRulesEditor();
  if (rule.within === undefined) {
    return (
      <button
        type="button"
        className="rules-link rules-all"
        onClick={() => edit(withPiece(document, `${path}.within`, 3), `${path} within`)}
      >
        It is enough that it held within the last candles
      </button>
    );
  }
  return (
    <>
      <AmountField label="Within the last candles" path={`${path}.within`} isWhole least={1} />
      <button type="button" className="rules-link" onClick={() => edit(withPiece(document, `${path}.within`, undefined), `${path} within`)}>
        Only the candle itself
      </button>
    </>
  );
}

/** Operands hold rules, and rules operands: this leads from one to the other. */
const ruleBox = (path: string, label: string): ReactNode => <RuleBox path={path} label={label} />;

/** A rule inside an operand: what candles are counted from. It has no line of its own in the list. */
function RuleBox({ path, label }: { path: string; label: string }) {
  const { document, edit, changes, readOnly } = useRulesEditor();
  const [opened, setOpened] = useState<string | null>(null);
  const rule = pieceAt(document, path) as Rule | undefined;
  if (rule === undefined) return null;
  const place = `${path} rules`;
  return (
    <div className="rules-box rules-all" role="group" aria-label={label}>
      <SentenceView
        parameters={document.parameters}
        rule={rule}
        path={path}
        changed={changes.map((change) => change.path)}
        readOnly={readOnly}
        opened={opened}
        onOpen={setOpened}
      />
      {opened === null ? null : <PieceFields rule={rule} path={path} opened={opened} />}
      {'rules' in rule ? (
        <>
          {rule.rules.map((_, i) => (
            <div key={i} className="rules-box-row">
              <RuleBox path={`${path}.rules.${i}`} label={`${label}, condition ${i + 1}`} />
              {rule.rules.length > 1 ? (
                <Button
                  variant="ghost"
                  size="small"
                  aria-label={`Remove condition ${i + 1}`}
                  onClick={() => edit(withoutPiece(document, `${path}.rules.${i}`), place)}
                >
                  <IconX size={13} aria-hidden />
                </Button>
              ) : null}
            </div>
          ))}
          <div className="rules-box-row">
            <Button
              variant="ghost"
              size="small"
              icon={<IconPlus size={13} aria-hidden />}
              onClick={() => edit(withRule(document, path, 'condition').document, place)}
            >
              Condition
            </Button>
            {rule.rules.length === 1 ? (
              <Button variant="ghost" size="small" onClick={() => edit(withoutGroup(document, path).document, place)}>
                No group
              </Button>
            ) : null}
          </div>
        </>
      ) : (
        <Button
          variant="ghost"
          size="small"
          icon={<IconPlus size={13} aria-hidden />}
          onClick={() => edit(inGroup(document, path).document, place)}
        >
          More than one condition
        </Button>
      )}
    </div>
  );
}
