// Strongly connected components of a directed graph. Each component comes after the components to
// which its edges lead.

/**
 * Tarjan's algorithm (1972), with an explicit stack so that long chains do not overflow the call
 * stack. The nodes are 0..count.
 */
export function components(
  count: number,
  successors: (node: number) => readonly number[],
): readonly (readonly number[])[] {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let next = 0;

  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue;
    const path: { node: number; edges: readonly number[]; at: number }[] = [];
    const enter = (node: number): void => {
      index[node] = low[node] = next++;
      stack.push(node);
      onStack[node] = 1;
      path.push({ node, edges: successors(node), at: 0 });
    };
    enter(root);
    while (path.length > 0) {
      const frame = path.at(-1)!;
      const { node } = frame;
      if (frame.at < frame.edges.length) {
        const to = frame.edges[frame.at++]!;
        if (index[to] === -1) enter(to);
        else if (onStack[to]) low[node] = Math.min(low[node]!, index[to]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) low[parent.node] = Math.min(low[parent.node]!, low[node]!);
      if (low[node] !== index[node]) continue;
      const component: number[] = [];
      for (let member = -1; member !== node;) {
        member = stack.pop()!;
        onStack[member] = 0;
        component.push(member);
      }
      found.push(component.reverse());
    }
  }
  return found;
}
