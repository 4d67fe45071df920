import type { RulesDocument, RulesParameter } from '#engine/rules/document.ts';
import type { RulesFault } from '#engine/rules/faults.ts';
import { TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import type { DocumentChange } from '../edit/changes.ts';
import { nameFault, renamed, withNewParameter, withoutParameter } from '../edit/parameters.ts';
import { withPiece } from '../edit/pieces-at.ts';
import { NumberField } from './amount-field.tsx';
import type { EditRules } from './rules-editor.ts';
import { TableScroll } from '../table-scroll.tsx';

/** See `ParametersPanel`. */
export interface ParametersPanelProps extends Pick<RulesDocument, 'parameters'> {
  uses: Readonly<Record<string, readonly string[]>>; // the names of conditions in which each stands
  faults: readonly RulesFault[]; // of parameters
  changes: readonly DocumentChange[]; // of parameters
  readOnly: boolean;
  edit: EditRules;
}

/** The numbers that may be turned: their values, the ranges that sliders and searches try, and where they stand. */
export const ParametersPanel = memo(function ParametersPanel(props: ParametersPanelProps) {
  const { parameters, readOnly, edit } = props;
  const names = Object.keys(parameters);
  return (
    <CardPanel
      title="Parameters"
      aside={
        <>
          <span>a bot may have its own values</span>
          {readOnly ? null : (
            <Button
              variant="ghost"
              size="small"
              icon={<IconPlus size={13} aria-hidden />}
              aria-label="Add parameter"
              onClick={() => edit(withNewParameter, 'parameters added')}
            >
              Add
            </Button>
          )}
        </>
      }
      flush
    >
      {names.length === 0 ? (
        <p className="rules-none">No parameters. Any number of a condition can be made one: open it and press the diamond.</p>
      ) : (
        <TableScroll label="Parameters">
          <table className="rules-table rules-parameters" aria-label="Parameters">
            <thead>
              <tr>
                <th>Name</th>
                <th>Value</th>
                <th>From</th>
                <th>To</th>
                <th>Step</th>
                <th>Used in</th>
                {readOnly ? null : (
                  <th>
                    <span className="fl-visually-hidden">Remove</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {Object.entries(parameters).map(([name, parameter], i) => (
                <ParameterRow key={i} name={name} parameter={parameter} {...props} />
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
    </CardPanel>
  );
});

function ParameterRow(props: ParametersPanelProps & { name: string; parameter: RulesParameter }) {
  const { name, parameter, parameters, readOnly, edit } = props;
  const path = `parameters.${name}`;
  const uses = props.uses[name] ?? [];
  const faults = props.faults.filter((fault) => fault.path === path).map(({ sentence }) => sentence);
  const change = props.changes.find((each) => each.path === path);
  const cell = (field: 'default' | 'min' | 'max' | 'step', label: string) => (
    <td className="fl-numeric">
      {readOnly ? (
        parameter[field]
      ) : (
        <NumberField
          label={`${label} of ${name}`}
          hideLabel
          value={parameter[field]}
          step={parameter.step}
          onChange={(value) => edit((document) => withPiece(document, `${path}.${field}`, value), `${path}.${field}`)}
        />
      )}
    </td>
  );
  return (
    <>
      <tr className={change === undefined ? '' : 'rules-row-changed'}>
        <td>
          <NameField name={name} parameters={parameters} readOnly={readOnly} edit={edit} />
          {change === undefined ? null : <span className="rules-was">{change.from === 'none' ? 'new' : `was ${change.from}`}</span>}
        </td>
        {cell('default', 'Value')}
        {cell('min', 'From')}
        {cell('max', 'To')}
        {cell('step', 'Step')}
        <td className="rules-dim rules-uses">{usesText(uses)}</td>
        {readOnly ? null : (
          <td>
            <Button
              variant="ghost"
              size="small"
              aria-label={`Remove parameter ${name}`}
              title="Where it stands is the number then"
              onClick={() => edit((document) => withoutParameter(document, name), 'parameters removed')}
            >
              <IconTrash size={13} aria-hidden />
            </Button>
          </td>
        )}
      </tr>
      {faults.map((fault) => (
        <tr key={fault}>
          <td colSpan={7} className="rules-fault" role="alert">
            {fault}
          </td>
        </tr>
      ))}
    </>
  );
}

function NameField({
  name,
  parameters,
  readOnly,
  edit,
}: Pick<ParametersPanelProps, 'parameters' | 'readOnly' | 'edit'> & { name: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? name;
  const fault = typed === null ? null : nameFault({ parameters }, typed, name);
  const finish = () => {
    if (typed !== null && typed !== name && fault === null) edit((document) => renamed(document, name, typed), 'parameters renamed');
    setTyped(null);
  };
  return (
    <span className="rules-parameter-name">
      <i className="rules-diamond" aria-hidden />
      {readOnly ? (
        name
      ) : (
        <TextInput
          size="xs"
          aria-label={`Name of parameter ${name}`}
          value={shown}
          maxLength={30}
          error={fault}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={finish}
          onKeyDown={(event) => {
            if (event.key === 'Enter') finish();
            if (event.key === 'Escape') setTyped(null);
          }}
        />
      )}
    </span>
  );
}

/** 'condition 2', 'conditions 2, 3a'. */
function usesText(uses: readonly string[]): string {
  if (uses.length === 0) return 'nothing';
  return `${uses.length === 1 ? 'condition' : 'conditions'} ${uses.join(', ')}`;
}
