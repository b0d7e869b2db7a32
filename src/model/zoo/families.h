// The builders of the zoo, one source file per family. Each takes the name of the model.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/model.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

using BuildFn = Result<Model>(std::string_view name, const ZooOptions& options);

// resnet.cpp
BuildFn resnet18, resnet34, resnet50;                    // He et al. 2016, 224x224
BuildFn resnet18_cifar, resnet34_cifar, resnet50_cifar;  // 3x3 stem without pooling, 32x32
BuildFn resnet34_alphanas, resnet50_alphanas;            // one more 1x1 convolution after the stem
BuildFn resnet20;                                        // shortcuts without parameters, 32x32
BuildFn tiny_resnet;                                     // 1x28x28

// resnext.cpp, regnet.cpp, densenet.cpp
BuildFn resnext29_2x64d;
BuildFn regnetx_800mf;
BuildFn densenet121, densenet161, densenet161_cifar;

// plain.cpp: chains of convolutions
BuildFn vgg16, cnn_alphanas;

// mobile.cpp, efficientnet.cpp
BuildFn mobilenet_v2, mnasnet_1_0;
BuildFn efficientnet_b0, efficientnetv2_s;

// vit.cpp, language.cpp
BuildFn vit_s16, vit_s16_alphanas;
BuildFn gpt2, tiny_gpt, bert_mini6;

}  // namespace cambium::model::zoo
