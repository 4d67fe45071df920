/** Stands for the rows of a long table that are not drawn. `height` in px. */
export function RowsOutOfSight({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className="fl-gap">
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
