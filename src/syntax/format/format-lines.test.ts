// The places where long lines break, form by form.

import { describe, expect, test } from "vitest";
import { formatted } from "../../../test/support/syntax.ts";

describe("long lines", () => {
  test("lists break one element a line", () => {
    const text = `let long = some_function(
        first_argument_expression + 1, second_argument_expression * 2, third = 3, fourth = 4);
      let matrix = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0]];
      let only = f([first_element_of_the_array, second_element_of_the_array,
        third_element_of_the_array, fourth]);
      fn conv[h, w](image: [f32; batch, channel, h, w], kernel: [f32; out, channel, kh, kw],
        stride: i32 = 1) -> [f32; batch, out, h, w] { image }
      enum Longer { FirstVariantWithALongName(f32, i32),
        SecondVariantWithALongName(w: f32, h: f32), Third }
      use std::some::very::long::path::{first_member, second_member as renamed_second,
        third::{a, b}, fourth::*};
      let points = [Point { x: px, y: py } | (px, py) in all_the_points_that_were_collected,
        px > lower_bound, py > lower_bound];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let long = some_function(
        first_argument_expression + 1,
        second_argument_expression * 2,
        third = 3,
        fourth = 4,
      );
      let matrix = [
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        [1.0, 2.0, 3.0],
      ];
      let only = f([
        first_element_of_the_array,
        second_element_of_the_array,
        third_element_of_the_array,
        fourth,
      ]);
      fn conv[h, w](
        image: [f32; batch, channel, h, w],
        kernel: [f32; out, channel, kh, kw],
        stride: i32 = 1,
      ) -> [f32; batch, out, h, w] { image }
      enum Longer {
        FirstVariantWithALongName(f32, i32),
        SecondVariantWithALongName(w: f32, h: f32),
        Third,
      }
      use std::some::very::long::path::{
        first_member,
        second_member as renamed_second,
        third::{a, b},
        fourth::*,
      };
      let points = [
        Point { x: px, y: py }
        | (px, py) in all_the_points_that_were_collected,
          px > lower_bound,
          py > lower_bound
      ];
      "
    `);
  });

  test("chains break before their operators", () => {
    const text = `let total = first_component[i, j] * weight_of_the_first
        + second_component[i, j] * weight_of_the_second - third[i];
      let z = data |> normalise(mean = 0.0, deviation = 1.0) |> flatten |> dense(width = 128)
        |> relu |> dense(width = 10);
      let ok = some_condition_that_is_long(x)
        && (another_condition_that_is_long(y) || a_third_condition(z)) && the_last_condition;
      let next_line_is_enough = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[i, j]
        + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb[i, j];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let total =
        first_component[i, j] * weight_of_the_first
          + second_component[i, j] * weight_of_the_second
          - third[i];
      let z = data
        |> normalise(mean = 0.0, deviation = 1.0)
        |> flatten
        |> dense(width = 128)
        |> relu
        |> dense(width = 10);
      let ok =
        some_condition_that_is_long(x)
          && (another_condition_that_is_long(y) || a_third_condition(z))
          && the_last_condition;
      let next_line_is_enough =
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[i, j] + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb[i, j];
      "
    `);
  });

  test("calls, blocks and branches open on the line of their `=`", () => {
    const text = `let loss = -mean[b](
        sum[class](target[b, class] * log(prediction[b, class] + 1e-9)) where weight[b] > 0.0);
      let s = sum[hidden](some_rather_long_activation_name[batch, hidden]
        * some_rather_long_weight_name[out, hidden]);
      let g = if some_condition_that_is_long && another_condition {
        some_function(of, several, arguments) } else { other(of, args) };
      let h = fold(|acc, x| { let y = acc + x; y * 2 });
      let b = { let inner = 1; inner + 1 };
      let m = f(x) |> match y { _ => { 1 } };`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let loss = -mean[b](
        sum[class](target[b, class] * log(prediction[b, class] + 1e-9)) where weight[b] > 0.0
      );
      let s = sum[hidden](
        some_rather_long_activation_name[batch, hidden] * some_rather_long_weight_name[out, hidden]
      );
      let g = if some_condition_that_is_long && another_condition {
        some_function(of, several, arguments)
      } else {
        other(of, args)
      };
      let h = fold(|acc, x| {
        let y = acc + x;
        y * 2
      });
      let b = {
        let inner = 1;
        inner + 1
      };
      let m = f(x)
        |> match y {
          _ => { 1 },
        };
      "
    `);
  });

  test("`where` gets its own line", () => {
    const text = `let hidden[batch, out] = bias[out]
        + sum[feature](x[batch, feature] * W[out, feature]) where batch < limit, mask[batch];
      let y[i] = x[i] where first_guard_that_is_long(i),
        second_binding = something_that_is_long[i], third_guard(i), last else 0;
      let c[b, o] = sum[i, k](image[b, ih] * kernel[o, k]
        where ih = i * stride + k - pad, ih >= 0, ih < extent(height));`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let hidden[batch, out] = bias[out] + sum[feature](x[batch, feature] * W[out, feature])
        where batch < limit, mask[batch];
      let y[i] = x[i]
        where first_guard_that_is_long(i),
          second_binding = something_that_is_long[i],
          third_guard(i),
          last
        else 0;
      let c[b, o] = sum[i, k](
        image[b, ih] * kernel[o, k] where ih = i * stride + k - pad, ih >= 0, ih < extent(height)
      );
      "
    `);
  });
});
