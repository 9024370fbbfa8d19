// Finds the files that import one another in a circle: the strongly connected components with more
// than one file in the graph of imports (Tarjan 1972).

/** The circles, each as the paths of its files. `follow` gives the imports of a file that count. */
export function circlesOf(files, follow) {
  const targets = new Map(files.map((file) => [file.path, follow(file).map(({ to }) => to)]));
  const order = new Map();
  const lowest = new Map();
  const waiting = [];
  const isWaiting = new Set();
  const circles = [];

  const enter = (path) => {
    order.set(path, order.size);
    lowest.set(path, order.get(path));
    waiting.push(path);
    isWaiting.add(path);
    return { path, next: targets.get(path).values() };
  };
  const lower = (path, number) => lowest.set(path, Math.min(lowest.get(path), number));
  const close = (path) => {
    const group = waiting.splice(waiting.indexOf(path));
    for (const each of group) isWaiting.delete(each);
    if (group.length > 1) circles.push(group.toSorted());
  };

  for (const { path: start } of files) {
    if (order.has(start)) continue;
    const walk = [enter(start)];
    while (walk.length > 0) {
      const { path, next } = walk.at(-1);
      const { value: to, done } = next.next();
      if (done) {
        walk.pop();
        if (walk.length > 0) lower(walk.at(-1).path, lowest.get(path));
        if (lowest.get(path) === order.get(path)) close(path);
      } else if (!order.has(to)) walk.push(enter(to));
      else if (isWaiting.has(to)) lower(path, order.get(to));
    }
  }
  return circles.toSorted((a, b) => b.length - a.length);
}
