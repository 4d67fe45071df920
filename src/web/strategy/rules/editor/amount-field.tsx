import type { Amount } from '#engine/rules/document.ts';
import { ActionIcon, Menu, NumberInput } from '@mantine/core';
import { IconDiamond, IconDiamondFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { freeParameterName, numberOf, withParameterAt } from '../edit/parameters.ts';
import { pieceAt, withPiece } from '../edit/pieces-at.ts';
import { useRulesEditor } from './rules-editor.ts';

/** See `AmountField`. */
export interface AmountFieldProps {
  label: string;
  path: string; // to the number
  isWhole?: boolean; // it counts candles or conditions
  isRatio?: boolean; // a fraction, typed in per cent
  least?: number;
  ifMissing?: number; // what it is where the document does not say
}

/** A number of a document. It may be a parameter, whose value is changed then, wherever the parameter stands. */
export function AmountField({ label, path, isWhole = false, isRatio = false, least, ifMissing = 0 }: AmountFieldProps) {
  const { document, edit } = useRulesEditor();
  const amount = (pieceAt(document, path) ?? ifMissing) as Amount;
  const parameter = typeof amount === 'object' ? amount.parameter : null;
  const valuePath = parameter === null ? path : `parameters.${parameter}.default`;
  return (
    <NumberField
      label={parameter === null ? label : `${label}: ${parameter}`}
      value={numberOf(document, amount)}
      isWhole={isWhole}
      isRatio={isRatio}
      {...(least === undefined ? {} : { least })}
      aside={<ParameterMenu label={label} path={path} amount={amount} isWhole={isWhole} />}
      onChange={(value) => edit(withPiece(document, valuePath, value), valuePath)}
    />
  );
}

/** See `NumberField`. */
export interface NumberFieldProps {
  label: string;
  hideLabel?: boolean;
  value: number;
  isWhole?: boolean;
  isRatio?: boolean;
  least?: number;
  step?: number;
  disabled?: boolean;
  aside?: ReactNode;
  onChange: (value: number) => void;
}

/** A number that is typed; what is not a number yet changes nothing. A ratio is typed in per cent. */
export function NumberField(props: NumberFieldProps) {
  const { label, hideLabel = false, value, isWhole = false, isRatio = false, least, step, disabled = false, aside, onChange } = props;
  const shown = isRatio ? Number((value * 100).toPrecision(12)) : value;
  const [typed, setTyped] = useState<string | number>(shown);
  // What is typed may be another text of the same number: '0.' or '5.0'. Another number comes from elsewhere, such as an undo.
  const known = useRef(shown);
  useEffect(() => {
    if (known.current !== shown) setTyped(shown);
    known.current = shown;
  }, [shown]);
  return (
    <NumberInput
      {...(hideLabel ? { 'aria-label': label } : { label })}
      size="xs"
      className="rules-number"
      value={Number.isNaN(value) ? '' : typed}
      allowDecimal={!isWhole}
      clampBehavior="none"
      stepHoldDelay={400}
      stepHoldInterval={60}
      disabled={disabled}
      {...(least === undefined ? {} : { min: least })}
      step={step ?? (isWhole ? 1 : stepOf(shown))}
      {...(isRatio ? { suffix: '%' } : {})}
      {...(aside === undefined ? {} : { rightSection: aside, rightSectionWidth: 30 })}
      onChange={(next) => {
        setTyped(next);
        const number = typeof next === 'string' && next.trim() === '' ? Number.NaN : Number(next);
        if (!Number.isFinite(number) || (least !== undefined && number < least)) return;
        const kept = isRatio ? Number((number / 100).toPrecision(12)) : number;
        if (kept === value) return;
        known.current = isRatio ? Number((kept * 100).toPrecision(12)) : kept;
        onChange(kept);
      }}
      onBlur={() => setTyped(shown)}
    />
  );
}

/** A step that moves a number of this size a little: 1 of 34, 0.1 of 2.5, 0.01 of 0.4. */
function stepOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 10 || size === 0) return 1;
  return size >= 1 ? 0.1 : 0.01;
}

function ParameterMenu({ label, path, amount, isWhole }: { label: string; path: string; amount: Amount; isWhole: boolean }) {
  const { document, edit } = useRulesEditor();
  const parameter = typeof amount === 'object' ? amount.parameter : null;
  const names = Object.keys(document.parameters);
  const set = (next: Amount) => edit(withPiece(document, path, next), `${path} parameter`);
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          size="sm"
          className={parameter === null ? 'rules-parameter' : 'rules-parameter rules-parameter-set'}
          aria-label={`Parameter of ${label}`}
          title={parameter === null ? 'Make it a parameter' : `The parameter ${parameter}`}
        >
          {parameter === null ? <IconDiamond size={12} aria-hidden /> : <IconDiamondFilled size={12} aria-hidden />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {parameter === null ? null : <Menu.Item onClick={() => set(numberOf(document, amount))}>Plain number, no parameter</Menu.Item>}
        {names
          .filter((name) => name !== parameter)
          .map((name) => (
            <Menu.Item key={name} onClick={() => set({ parameter: name })}>
              {name} ({document.parameters[name]?.default})
            </Menu.Item>
          ))}
        {parameter === null ? (
          <Menu.Item onClick={() => edit(withParameterAt(document, path, freeParameterName(document), isWhole), `${path} parameter`)}>
            New parameter
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
